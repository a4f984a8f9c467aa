import { expect, test } from "vitest";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { foldAll } from "../../src/fold/fold.ts";
import { casesOf } from "../cases.ts";
import { runChild, startChild } from "./child-run.ts";
import { FAMILY_TURNS } from "./family-workflow.ts";
import { readLedger } from "./ledger.ts";
import { say, seedOf } from "./report.ts";
import { createSandbox, type Sandbox } from "./sandbox.ts";
import { sideBySide } from "./side-by-side.ts";

const FAMILIES = casesOf(20);
// The third death of its owner in a row fails an operation, as it should.
const KILLS = 2;
const RUNS = 5;
const WIDTH = 2;

test("a family of runs killed at random comes to the same, repeats nothing that was done and leaves nothing behind [ENG-12, ENG-2, ENG-6]", async () => {
  const random = seedOf("families");
  const whole = createSandbox();
  const unbroken = startChild(whole, { action: "start-family" });
  await unbroken.owns;
  const owned = performance.now();
  const { result: expected, error } = await unbroken.gone;
  const wholeMs = performance.now() - owned;
  expect(error).toBeUndefined();
  await whole.remove();
  const moments = Array.from({ length: FAMILIES }, () =>
    Array.from({ length: KILLS }, () => random() * wholeMs),
  );
  const kills = await sideBySide(moments, WIDTH, (each) => killedFamily(each, expected));
  const landed = kills.reduce((sum, each) => sum + each, 0);
  say(`families: ${landed} of ${FAMILIES * KILLS} kills hit one that was at work`);
  expect(landed).toBeGreaterThan(FAMILIES);
});

/** Kills its owners so long (in ms) after each came to own it; how many kills struck before its end. */
async function killedFamily(moments: readonly number[], expected: unknown): Promise<number> {
  const sandbox = createSandbox();
  let kills = 0;
  for (const [index, moment] of moments.entries()) {
    const owner = startChild(sandbox, { action: index === 0 ? "start-family" : "resume-family" });
    const end = await Promise.race([owner.owns, owner.gone]);
    if (end === undefined) await pause(moment);
    owner.kill("SIGKILL");
    const { exitCode } = await owner.gone;
    if (exitCode !== null) break;
    kills += 1;
    const before = finishedTurns(sandbox);
    const done = readLedger(sandbox.ledger).length;
    expect(done).toBeGreaterThanOrEqual(before.size);
  }
  const finished = finishedTurns(sandbox);
  const before = readLedger(sandbox.ledger);
  const { result, error } = await runChild(sandbox, { action: "resume-family" });
  expect(error).toBeUndefined();
  expect(withoutIds(result)).toEqual(withoutIds(expected));
  const after = readLedger(sandbox.ledger);
  for (const key of finished)
    expect(after.filter((entry) => entry.key === key)).toEqual(
      before.filter((entry) => entry.key === key),
    );
  expect(new Set(after.filter(({ mark }) => mark === "end").map(({ key }) => key)).size).toBe(
    FAMILY_TURNS,
  );
  expect(sandbox.store.list()).toHaveLength(RUNS);
  for (const run of sandbox.store.list())
    expect(foldAll(run, eventsOf(sandbox, run)).phase).toMatchObject({ outcome: "completed" });
  await sandbox.remove();
  return kills;
}

/** Keys of turns whose outcome is recorded, in all runs of the family. */
function finishedTurns(sandbox: Sandbox): ReadonlySet<string> {
  return new Set(
    sandbox.store
      .list()
      .flatMap((run) =>
        eventsOf(sandbox, run).flatMap((event) =>
          event.type === "operation-settled" && event.op.includes("turn#")
            ? [`${run}/${event.op}`]
            : [],
        ),
      ),
  );
}

function eventsOf(sandbox: Sandbox, run: string): readonly JournalEvent[] {
  const journal = sandbox.store.open(run, "read");
  try {
    return [...journal.read()];
  } finally {
    journal.close();
  }
}

function withoutIds(result: unknown): string {
  return JSON.stringify(result)
    .replaceAll(/run_[0-9a-z]{6}/gu, "run")
    .replaceAll(/"durationMs":\d+/gu, '"durationMs":0')
    .replaceAll(/"duration":\d+/gu, '"duration":0');
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
