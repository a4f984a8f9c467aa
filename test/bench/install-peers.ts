// Installs the peers of the benchmark into a cache folder of the user, never into this package.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { peersFolder, peersPackage } from "./peers.ts";

const folder = peersFolder();
mkdirSync(folder, { recursive: true });
for (const file of ["package.json", "package-lock.json"]) {
  copyFileSync(join(peersPackage, file), join(folder, file));
}
const options = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
const { status } = spawnSync("npm", options, { cwd: folder, stdio: "inherit" });
process.stdout.write(`peers of the benchmark: ${folder}\n`);
process.exitCode = status ?? 1;
