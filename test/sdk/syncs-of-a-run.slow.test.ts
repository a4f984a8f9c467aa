import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { has } from "../machine.ts";

const SYNCS = /^\d+ +(fsync|fdatasync)\(/;

/** What a new run has on the disk before anybody acts on it. */
const CREATING = [
  ["tables", /sync\(\d+<[^>]*\/journal\.db>/],
  ["name of the run", /sync\(\d+<[^>]*\/runs>/],
  ["first event", /sync\(\d+<[^>]*\/journal\.db-wal>/],
  ["name of the journal", /sync\(\d+<[^>]*\/run_\w+>/],
] as const;

/** What a call does to a seal. */
const SEALING = [
  ["seal synced", /sync\(\d+<[^>]*\/journal\.seal\.tmp>/],
  ["renamed", /rename\w*\(.*journal\.seal\.tmp".*journal\.seal"/],
  ["directory synced", /sync\(\d+<[^>]*\/run_\w+>/],
] as const;

test.runIf(has("strace"))("each agent of a chain costs one commit, and no more", () => {
  const [short, long] = [syncsOf(10), syncsOf(60)];
  // Fewer would let an agent begin before what it begins with is durable (I1). A machine that stands still for 50 ms
  // makes one more of what would have gone along with the next.
  expect(long - short).toBeGreaterThanOrEqual(50);
  expect(long - short).toBeLessThanOrEqual(55);
});

test.runIf(has("strace"))(
  "a run of one agent costs no more than 12 syncs from its creation to its end",
  () => {
    // The key of the user is made with the first run, and counts among them; so does the commit before the clean-up.
    expect(syncsOf(1)).toBeLessThanOrEqual(12);
  },
);

// SQLite drops the log of a database that is empty: without its tables, the first events would be lost with the power.
test.runIf(has("strace"))(
  "the tables of a journal are on the disk before its first event is, and then so are their names [ENG-2]",
  () => {
    const told = callsOf(1, "fsync,fdatasync").flatMap(
      (call) => CREATING.find(([, pattern]) => pattern.test(call))?.[0] ?? [],
    );
    expect(told.slice(0, 4)).toEqual([
      "tables",
      "name of the run",
      "first event",
      "name of the journal",
    ]);
  },
);

test.runIf(has("strace"))(
  "a seal is on the disk before it takes the place of the one before, and then in the directory [ENG-5]",
  () => {
    const calls = callsOf(1, "fsync,fdatasync,rename,renameat,renameat2");
    const told = calls.flatMap(
      (call) => SEALING.find(([, pattern]) => pattern.test(call))?.[0] ?? [],
    );
    const first = told.indexOf("seal synced");
    expect(told.slice(first, first + 3)).toEqual(["seal synced", "renamed", "directory synced"]);
    expect(told.filter((what) => what === "renamed")).toHaveLength(1);
  },
);

function syncsOf(stages: number): number {
  return callsOf(stages, "fsync,fdatasync").filter((line) => SYNCS.test(line)).length;
}

/** The calls of the system that a chain makes, each with the paths of its files. */
function callsOf(stages: number, traced: string): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), "troupe-syncs-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, ".troupe"));
  const log = join(directory, "calls");
  const program = [join(import.meta.dirname, "chain-program.ts"), directory, `${stages}`];
  const { status, stderr } = spawnSync(
    "strace",
    ["-f", "-y", "-qq", "-o", log, "-e", `trace=${traced}`, process.execPath, ...program],
    { encoding: "utf8" },
  );
  expect([status, stderr]).toEqual([0, ""]);
  return readFileSync(log, "utf8").split("\n");
}
