// Installs the loops that Troupe's is measured beside into a cache folder of the user, never into this package.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loopPeersFolder, loopPeerVersions } from "./loop-peers.ts";

const folder = loopPeersFolder();
mkdirSync(folder, { recursive: true });
const manifest = {
  name: "troupe-bench-loop-peers",
  private: true,
  dependencies: loopPeerVersions,
  // The version that a saver of checkpoints asks for brings no program without install scripts.
  overrides: { "better-sqlite3": loopPeerVersions["better-sqlite3"] },
};
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
const options = ["install", "--ignore-scripts", "--no-audit", "--no-fund"];
const { status } = spawnSync("npm", options, { cwd: folder, stdio: "inherit" });
process.stdout.write(`loops that Troupe is measured beside: ${folder}\n`);
process.exitCode = status ?? 1;
