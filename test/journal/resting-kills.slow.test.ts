import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { claim, logs, RULES } from "../../src/testing/journal-case.ts";
import { has } from "../machine.ts";
import { createTemporaryStore } from "./temporary-store.ts";

const PROGRAM = join(import.meta.dirname, "resting-program.ts");

test.runIf(has("strace")).each(["pwrite64", "fsync,fdatasync", "unlink", "openat"])(
  "an owner that dies at any %s while its journal comes to rest and wakes up loses nothing that was durable [P1]",
  { timeout: 240_000 },
  (calls) => {
    const counted = run(calls);
    expect(counted.printed).toEqual([1, 2, 3, 4]);
    let kills = 0;
    for (let call = counted.calls; call > 0; call -= 1) {
      const { printed, place } = run(calls, call);
      // How a run begins is killed elsewhere.
      if (printed.length < 3) break;
      kills += 1;
      const read = place.store.open("run-a", "write");
      const events = [...read.read()];
      expect(events).toEqual(logs(1, events.length));
      expect(events.length).toBeGreaterThanOrEqual(printed.length);
      expect(read.takeLease(claim({ pid: 2, nowMs: 60_000 }), RULES)).toMatchObject({ epoch: 2 });
      read.close();
    }
    expect(kills).toBeGreaterThan(1);
  },
);

/** Runs the program until it ends, or is killed at one of its calls. */
function run(calls: string, killedAt?: number) {
  const place = createTemporaryStore();
  onTestFinished(() => place.cleanup());
  const log = `${place.runsDirectory}.calls`;
  const kill = killedAt === undefined ? [] : ["-e", `inject=${calls}:signal=KILL:when=${killedAt}`];
  const { stdout } = spawnSync(
    "strace",
    [
      ...["-qq", "-o", log, "-e", `trace=${calls}`, ...kill],
      ...[process.execPath, PROGRAM, place.runsDirectory],
    ],
    { encoding: "utf8" },
  );
  const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
  const made = lines.filter((line) => /^[a-z0-9]+\(/.test(line)).length;
  return { place, printed: stdout.trim().split("\n").map(Number), calls: made };
}

test("a journal that wakes up while too many files are open appends once it can be opened", () => {
  const place = createTemporaryStore();
  onTestFinished(() => place.cleanup());
  const printed = execFileSync(
    "sh",
    [
      "-c",
      'ulimit -n 60; exec "$@"',
      "sh",
      process.execPath,
      PROGRAM,
      place.runsDirectory,
      "short",
    ],
    { encoding: "utf8" },
  );
  expect(printed.trim().split("\n")).toEqual(["1", "2", "3", "short", "4"]);
  const read = place.store.open("run-a", "read");
  onTestFinished(() => read.close());
  expect([...read.read()]).toEqual(logs(1, 4));
});
