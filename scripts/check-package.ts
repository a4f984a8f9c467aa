// Packs the package as npm would publish it, compares its size with what it may have, and lets publint and attw judge
// the tarball.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MOST = { files: 1200, unpackedBytes: 12_000_000, packedBytes: 3_000_000 };

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "troupe-package-"));
try {
  const options = ["--ignore-scripts", "--json", "--pack-destination", folder];
  const packed = execFileSync("npm", ["pack", ...options], { cwd: root, encoding: "utf8" });
  measure(JSON.parse(packed)[0]);
  const tarball = join(folder, readdirSync(folder)[0] ?? "");
  judge("publint", ["run", tarball, "--strict"]);
  judge("attw", [tarball, "--profile", "esm-only", "--no-emoji"]);
} finally {
  rmSync(folder, { recursive: true });
}

function measure(pack: { entryCount: number; unpackedSize: number; size: number }): void {
  const has = { files: pack.entryCount, unpackedBytes: pack.unpackedSize, packedBytes: pack.size };
  for (const name of ["files", "unpackedBytes", "packedBytes"] as const) {
    if (has[name] <= MOST[name]) continue;
    process.stderr.write(`the package has ${has[name]} ${name}, and may have ${MOST[name]}\n`);
    process.exitCode = 1;
  }
}

function judge(tool: string, parameters: readonly string[]): void {
  const { status } = spawnSync(tool, parameters, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
