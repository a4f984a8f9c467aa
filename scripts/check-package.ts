// Packs the package as npm would publish it and lets publint and attw judge the tarball.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "troupe-package-"));
try {
  const options = ["--ignore-scripts", "--silent", "--pack-destination", folder];
  execFileSync("npm", ["pack", ...options], { cwd: root });
  const tarball = join(folder, readdirSync(folder)[0] ?? "");
  judge("publint", ["run", tarball, "--strict"]);
  judge("attw", [tarball, "--profile", "esm-only", "--no-emoji"]);
} finally {
  rmSync(folder, { recursive: true });
}

function judge(tool: string, parameters: readonly string[]): void {
  const { status } = spawnSync(tool, parameters, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
