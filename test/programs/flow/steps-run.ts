import type { RunStore } from "../../../src/contracts/ports/store.ts";
import { isRecord, type Json } from "../../../src/foundation/json.ts";
import { createManualClock, type ManualClock, settle } from "../../../src/testing/manual-clock.ts";
import {
  resumeInMemory,
  startStepsInMemory,
  type TestProcess,
  type TestStart,
  type TestStepWorkflow,
} from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun, TestedRun } from "../../../src/testing/tested-run.ts";

/** The result of a step workflow. */
export interface FlowResult {
  readonly output: Json;
  readonly context: { readonly [name: string]: Json };
  readonly path: readonly string[];
}

/** A run of a step workflow that is over. */
export interface FlowEnd extends FinishedRun {
  readonly reason: string;
  readonly flow: FlowResult;
  /** Calendar time that it took, in ms. */
  readonly tookMs: number;
}

// More turns of the event loop in which nothing is written than anything that is ready needs.
const QUIET_ROUNDS = 4;
const MOST_TIMERS = 10_000;

/** Runs a step workflow in memory; time goes on whenever nothing else does. */
export async function runSteps(
  workflow: TestStepWorkflow,
  start: Omit<TestStart, "clock"> = {},
): Promise<FlowEnd> {
  const clock = createManualClock();
  return untilOver(await startStepsInMemory(workflow, { ...start, clock }), clock);
}

/** Goes on with such a run. */
export async function resumeSteps(
  id: string,
  given: Omit<TestProcess, "clock"> & { readonly store: RunStore },
): Promise<FlowEnd> {
  const clock = createManualClock(Date.UTC(2030, 0, 1));
  return untilOver(await resumeInMemory(id, { ...given, clock }), clock);
}

/** Moves the clock on until the run is over or let go. */
export async function untilOver(tested: TestedRun, clock: ManualClock): Promise<FlowEnd> {
  const startedAt = clock.now();
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  tested.run.parted.then(over, over);
  let written = 0;
  const counting = (async () => {
    for await (const _ of tested.run.events) written += 1;
  })();
  for (let fired = 0; !isOver && fired < MOST_TIMERS; fired += 1) {
    for (let before = -1; before !== written && !isOver; await settle(QUIET_ROUNDS))
      before = written;
    if (!isOver) await clock.advanceToNext();
  }
  if (!isOver) throw new Error(`${tested.run.id} does not end`);
  await counting;
  const tookMs = clock.now() - startedAt;
  return { ...flowEnd(await tested.over()), tookMs };
}

/** A finished run with its result; what was let go has none. */
export function flowEnd(finished: FinishedRun): Omit<FlowEnd, "tookMs"> {
  const { event } = finished.parting;
  const result: Json = event.type === "run-ended" ? event.result : {};
  assertResult(result);
  return { ...finished, reason: event.reason, flow: result };
}

/** The journal has it as JSON; the tests look at what is in it. */
function assertResult(value: unknown): asserts value is FlowResult {
  if (!isRecord(value)) throw new Error("the run has no result");
}
