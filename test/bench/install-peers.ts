// Installs the peers of the benchmark into a cache folder of the user, never into this package.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { peersFolder, peerVersions } from "./peers.ts";

const folder = peersFolder();
mkdirSync(folder, { recursive: true });
const manifest = { name: "troupe-bench-peers", private: true, dependencies: peerVersions };
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
const options = ["install", "--ignore-scripts", "--no-audit", "--no-fund"];
const { status } = spawnSync("npm", options, { cwd: folder, stdio: "inherit" });
process.stdout.write(`peers of the benchmark: ${folder}\n`);
process.exitCode = status ?? 1;
