import type { TestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { createManualClock, type ManualClock, settle } from "../../../src/testing/manual-clock.ts";
import {
  resumeInMemory,
  startInMemory,
  type TestStart,
} from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun, TestedRun } from "../../../src/testing/tested-run.ts";

/** A run of agents that messages drive, with what was said. */
export interface WokenRun extends FinishedRun {
  /** `from > to: text` of direct messages, `from: text` of others, in order. */
  readonly said: readonly string[];
  /** How often each agent was given a turn. */
  readonly turns: { readonly [agent: string]: number };
  readonly reason: string;
}

const NO_RETRIES = { maxAttempts: 1, retryDelayMs: 0 };
const BOUNDS = { turnsPerAgent: 50, messages: 500, pingPong: 6 };

/** Runs a pattern without steps under a clock that goes on whenever nothing else does. */
export async function runWoken(workflow: TestWorkflow, start: TestStart = {}): Promise<WokenRun> {
  const clock = createManualClock();
  const definition = { turns: NO_RETRIES, bounds: BOUNDS, ...workflow };
  return drive(await startInMemory(definition, { ...start, clock }), clock);
}

/** Goes on with a run that a store holds. */
export async function resumeWoken(
  id: string,
  given: Parameters<typeof resumeInMemory>[1],
): Promise<WokenRun> {
  const clock = createManualClock(Date.UTC(2030, 0, 1));
  return drive(await resumeInMemory(id, { ...given, clock }), clock);
}

async function drive(tested: TestedRun, clock: ManualClock): Promise<WokenRun> {
  const { run } = tested;
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  run.parted.then(over, over);
  let written = 0;
  const reading = (async () => {
    for await (const _ of run.events) written += 1;
  })();
  // Programs of agents take their real time, in which many timers fire.
  for (let fired = 0; !isOver && fired < 100_000; fired += 1) {
    for (let before = -1; before !== written && !isOver; await settle(4)) before = written;
    if (!isOver) await clock.advanceToNext();
  }
  if (!isOver) throw new Error(`${run.id} does not end`);
  await reading;
  return toWokenRun(await tested.over());
}

function toWokenRun(finished: FinishedRun): WokenRun {
  const turns: { [agent: string]: number } = {};
  for (const { agent } of finished.all("turn-started")) turns[agent] = (turns[agent] ?? 0) + 1;
  return {
    ...finished,
    turns,
    reason: finished.parting.event.reason,
    said: finished.state.messages.recent.map(({ from, to, text }) =>
      to === undefined ? `${from}: ${text}` : `${from} > ${to.join(", ")}: ${text}`,
    ),
  };
}
