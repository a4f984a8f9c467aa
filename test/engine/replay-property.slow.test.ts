import { deepStrictEqual, ok } from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { createTestRun, dataOf, runResultOf, type TestRun } from "../../src/testing/test-run.ts";
import { casesOf } from "../cases.ts";
import {
  cancelAfter,
  type Execution,
  type Plan,
  plans,
  prepare,
  toProgram,
} from "./generated-program.ts";

const numRuns = casesOf(600);
// Long journals are cut at some of their events only, unless the run is thorough.
const mostCrashes = numRuns > 200 ? Infinity : 12;
const options = { numRuns };
const timeoutMs = 20_000 + numRuns * 500;

/** A generated program, and when its run is cancelled, if that comes before its end. */
interface Case {
  readonly plan: Plan;
  readonly cancelAfterMs: number;
}

const cases: fc.Arbitrary<Case> = fc.record({
  plan: plans,
  // Few programs take longer than the longest of these.
  cancelAfterMs: fc.oneof(fc.constant(1e9), fc.integer({ min: 1, max: 1_000_000 })),
});

function createRun(
  { plan, cancelAfterMs }: Case,
  ledger: Execution[],
  events: readonly JournalEvent[] = [],
): TestRun {
  return createTestRun(toProgram(plan, ledger), {
    events,
    prepare: (driver) => {
      prepare(driver);
      cancelAfter(driver, cancelAfterMs);
    },
  });
}

function operationsOf(events: readonly JournalEvent[]) {
  const scheduled = new Map<string, string>();
  const settled = new Set<string>();
  for (const event of events) {
    if (event.type === "operation-scheduled") {
      ok(!scheduled.has(event.op), `${event.op} was scheduled twice`);
      scheduled.set(event.op, event.kind);
    } else if (event.type === "operation-settled") {
      ok(!settled.has(event.op), `${event.op} was settled twice`);
      settled.add(event.op);
    }
  }
  return { scheduled, settled };
}

test(
  `a full replay asks the same and comes to the same result [ENG-3, P3]`,
  async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (generated) => {
        const live = createRun(generated, []);
        const result = runResultOf(await live.carryOut());
        const last = live.events.length - 1;
        const ledger: Execution[] = [];
        const replay = createRun(generated, ledger, live.events.slice(0, last));
        deepStrictEqual(runResultOf(await replay.carryOut()), result);
        deepStrictEqual(ledger, []);
        const added = dataOf(replay.events.slice(last)).map((event) => event.type);
        deepStrictEqual(added, ["run-resumed", "run-ended"]);
      }),
      options,
    );
  },
  timeoutMs,
);

test(
  `a crash after any event changes no result and repeats no completed step [ENG-2, ENG-10, P1, P2]`,
  async () => {
    await fc.assert(
      fc.asyncProperty(cases, async (generated) => {
        const live = createRun(generated, []);
        const result = runResultOf(await live.carryOut());
        for (const eventCount of crashPoints(live.events.length)) {
          await assertResumes(generated, live.events.slice(0, eventCount), result);
        }
      }),
      options,
    );
  },
  timeoutMs,
);

function crashPoints(eventCount: number): readonly number[] {
  const points = Array.from({ length: eventCount - 1 }, (_, index) => index + 1);
  const stride = Math.max(1, points.length / mostCrashes);
  return points.filter((_, index) => Math.floor(index % stride) === 0);
}

async function assertResumes(
  generated: Case,
  prefix: readonly JournalEvent[],
  result: unknown,
): Promise<void> {
  const ledger: Execution[] = [];
  const resumed = createRun(generated, ledger, prefix);
  const after = `after ${prefix.length} events`;
  deepStrictEqual(runResultOf(await resumed.carryOut()), result, after);
  const before = operationsOf(prefix);
  operationsOf(resumed.events);
  for (const { key, attempt } of ledger) {
    const op = key.slice("run_test/".length);
    ok(!before.settled.has(op), `${op} was executed again ${after}`);
    if (before.scheduled.has(op)) ok(attempt > 1, `${op} started over ${after}`);
  }
  const executed = new Set(ledger.map(({ key }) => key.slice("run_test/".length)));
  for (const event of resumed.events) {
    if (event.type !== "operation-settled" || event.outcome.status === "cancelled") continue;
    const isStep = before.scheduled.get(event.op) === "step" && !before.settled.has(event.op);
    if (isStep)
      ok(executed.has(event.op), `${event.op} has an outcome without an execution ${after}`);
  }
}
