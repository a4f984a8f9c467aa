import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { has } from "../machine.ts";

test.runIf(has("strace"))(
  "an owner that does nothing but keep its lease syncs when its journal comes to rest, and never again",
  () => {
    expect(syncsOf(300)).toBe(syncsOf(2));
    expect(syncsOf(1)).toBe(syncsOf(0));
  },
);

/** Of a run that is created, owned, renewed so often and let go. */
function syncsOf(renewals: number): number {
  const directory = mkdtempSync(join(tmpdir(), "troupe-lease-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const log = join(directory, "calls");
  const program = join(import.meta.dirname, "lease-program.ts");
  const { status } = spawnSync(
    "strace",
    [
      ...["-f", "-qq", "-o", log, "-e", "trace=fsync,fdatasync"],
      ...[process.execPath, program, join(directory, "runs"), `${renewals}`],
    ],
    { encoding: "utf8" },
  );
  expect(status).toBe(0);
  return readFileSync(log, "utf8").split("\n").length;
}
