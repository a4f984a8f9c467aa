import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { has } from "../machine.ts";

const SYNCS = /^\d+ +(fsync|fdatasync)\(/;

test.runIf(has("strace"))("each agent of a chain costs one commit, and no more", () => {
  const [short, long] = [syncsOf(10), syncsOf(60)];
  // Fewer would let an agent begin before what it begins with is durable (I1). A machine that stands still for 50 ms
  // makes one more of what would have gone along with the next.
  expect(long - short).toBeGreaterThanOrEqual(50);
  expect(long - short).toBeLessThanOrEqual(55);
});

test.runIf(has("strace"))(
  "a run of one agent costs no more than 14 syncs from its creation to its end",
  () => {
    // The key of the user is made with the first run, and counts among them.
    expect(syncsOf(1)).toBeLessThanOrEqual(14);
  },
);

function syncsOf(stages: number): number {
  const directory = mkdtempSync(join(tmpdir(), "troupe-syncs-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, ".troupe"));
  const log = join(directory, "calls");
  const program = [join(import.meta.dirname, "chain-program.ts"), directory, `${stages}`];
  const { status, stderr } = spawnSync(
    "strace",
    ["-f", "-qq", "-o", log, "-e", "trace=fsync,fdatasync", process.execPath, ...program],
    { encoding: "utf8" },
  );
  expect([status, stderr]).toEqual([0, ""]);
  return readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => SYNCS.test(line)).length;
}
