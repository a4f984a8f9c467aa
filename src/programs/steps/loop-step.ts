import { z } from "zod";
import type { Context } from "../../contracts/ports/context.ts";
import type {
  SettingFault,
  StepOutcome,
  StepRun,
  StepType,
} from "../../contracts/ports/step-type.ts";
import type { StepRecord, WorkflowContext } from "../../contracts/step-context.ts";
import { count } from "../../foundation/count.ts";
import { isDuration, parseDuration } from "../../foundation/duration.ts";
import { type ErrorReport, TroupeError, toErrorReport } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import { SeriesClock } from "../primitives/series-clock.ts";
import { loopLimit, loopNoneSucceeded, loopRoundFailed } from "./parts/errors.ts";
import { limitAround } from "./parts/limit-around.ts";
import { PLAIN_STEP } from "./parts/plain-step.ts";

const settings = z.strictObject({
  until: z
    .string()
    .min(1)
    .optional()
    .describe("An expression, asked after each round; the loop ends when it holds."),
  times: z.int().min(1).max(100_000).optional().describe("How many rounds, instead of `until`."),
  duration: z
    .string()
    .optional()
    .describe("No round begins later than this, in running time; instead of `until`."),
  on_failure: z
    .enum(["fail", "continue"])
    .optional()
    .describe(
      "Without `until`: whether a round that fails ends the loop (fail, default), or only five in a row do (continue).",
    ),
  max_iterations: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe(
      "Rounds at most: with `until` the loop has failed then, with `duration` it is over. Default: 100.",
    ),
});

type LoopSettings = z.infer<typeof settings>;

const DEFAULT_MAX_ITERATIONS = 100;
const MOST_FAILURES_IN_A_ROW = 5;

/** Runs its steps one after another, round by round; each round sees what the one before came to. */
export const loopStep = {
  ...PLAIN_STEP,
  name: "loop",
  summary: "Repeats steps until a condition holds, some times, or for some time",
  settings,
  nested: "list",
  expressions: ["until"],
  names: ["index"],
  check: (given, { nestedCount }) => {
    if (nestedCount === 0)
      return [{ problem: "has nothing inside of it", hint: "write a list under `steps`" }];
    return boundFaults(given);
  },
  run,
} as const satisfies StepType<LoopSettings>;

function boundFaults(given: LoopSettings): readonly SettingFault[] {
  const { until, times, duration, on_failure, max_iterations } = given;
  if (until === undefined && times === undefined && duration === undefined)
    return [{ problem: "never ends", hint: "write until: EXPRESSION, or times: NUMBER" }];
  if (until !== undefined && times !== undefined)
    return [{ key: "times", problem: "stands beside until", hint: "use max_iterations" }];
  if (until !== undefined && duration !== undefined)
    return [{ key: "duration", problem: "stands beside until", hint: "use timeout" }];
  if (until !== undefined && on_failure !== undefined)
    return [
      {
        key: "on_failure",
        problem: "stands beside until, with which a loop goes on anyway",
        hint: "remove it",
      },
    ];
  if (duration !== undefined && !(isDuration(duration) && parseDuration(duration) > 0))
    return [
      {
        key: "duration",
        problem: `is ${JSON.stringify(duration)}, which is no duration`,
        hint: "write a number above 0 and a unit: 30m, 2h",
      },
    ];
  if (times === undefined || max_iterations === undefined) return [];
  return [
    { key: "max_iterations", problem: "has no meaning beside times", hint: "remove one of them" },
  ];
}

/** How far a loop has come. */
interface Progress {
  /** Finished rounds. */
  readonly rounds: number;
  readonly succeeded: number;
  readonly failuresInARow: number;
  readonly context: WorkflowContext;
  readonly lastRound: readonly StepRecord[];
  /** What the last round failed at; undefined when it succeeded. */
  readonly failed: string | undefined;
}

async function run(run: StepRun<LoopSettings>): Promise<StepOutcome> {
  const { duration } = run.settings;
  const timeMs = duration === undefined ? undefined : parseDuration(duration);
  const clock = new SeriesClock(run.context, timeMs);
  const outcome = await goRound(run, clock);
  await clock.stop();
  return outcome;
}

async function goRound(run: StepRun<LoopSettings>, clock: SeriesClock): Promise<StepOutcome> {
  const { until, on_failure } = run.settings;
  const goesOn = on_failure === "continue";
  const all: StepRecord[] = [];
  let progress: Progress = {
    ...{ rounds: 0, succeeded: 0, failuresInARow: 0, lastRound: [], failed: undefined },
    context: run.scope.context,
  };
  for (;;) {
    progress = await runRound(run, progress, clock);
    for (const record of progress.lastRound) all.push(record);
    const verdict = until === undefined ? judge(run, progress, clock) : judgeUntil(run, progress);
    const end: LoopEnd = { goesOn, progress, records: all };
    if (verdict.status === "failed") return toOutcome(end, { error: verdict.error });
    // What a condition or `on_failure` has looked at counts no more.
    const isHandled = until !== undefined || goesOn;
    if (verdict.status === "done")
      return toOutcome(end, isHandled ? { handlesFailures: true } : {});
  }
}

/** One round, cut off where its time is over. */
async function runRound(
  run: StepRun<LoopSettings>,
  before: Progress,
  clock: SeriesClock,
): Promise<Progress> {
  // Loops without a time are carried out without scopes of their own.
  if (run.settings.duration === undefined) return carryOutRound(run, before, undefined);
  let isCut = false;
  const scope = run.context.scope(`round-${before.rounds + 1}`, (door) =>
    carryOutRound(run, before, door),
  );
  clock.watch(() => {
    isCut = true;
    scope.cancel("its time is over");
  });
  try {
    return await scope.result;
  } catch (error) {
    if (!isCut || !(error instanceof TroupeError) || error.code !== "ENGINE_CANCELLED") throw error;
    return {
      ...{ ...before, rounds: before.rounds + 1, failuresInARow: before.failuresInARow + 1 },
      ...{ lastRound: [], failed: "its time, which was over" },
    };
  } finally {
    clock.watch(undefined);
  }
}

/** A step that fails is the last of its round. */
async function carryOutRound(
  run: StepRun<LoopSettings>,
  before: Progress,
  door: Context | undefined,
): Promise<Progress> {
  const { rounds, succeeded, failuresInARow } = before;
  const lastRound: StepRecord[] = [];
  let { context } = before;
  for (const step of run.step.steps) {
    const record = await run.runNested({
      step,
      place: `[${rounds + 1}]`,
      context,
      names: { index: rounds },
      isRound: true,
      ...(door === undefined ? {} : { door }),
    });
    lastRound.push(record);
    context = run.extend(context, [record]);
    if (!record.success) break;
  }
  const failure = lastRound.find(({ success }) => !success);
  return {
    ...{ rounds: rounds + 1, context, lastRound },
    succeeded: failure === undefined ? succeeded + 1 : succeeded,
    failuresInARow: failure === undefined ? 0 : failuresInARow + 1,
    failed: failure && `${failure.stepId}: ${failure.error?.message ?? ""}`,
  };
}

type Verdict =
  | { readonly status: "done" }
  | { readonly status: "again" }
  | { readonly status: "failed"; readonly error: ErrorReport };

/** Whether another round follows where a number or a time says so. */
function judge(run: StepRun<LoopSettings>, progress: Progress, clock: SeriesClock): Verdict {
  const { times, max_iterations = DEFAULT_MAX_ITERATIONS, on_failure } = run.settings;
  const { rounds, succeeded, failuresInARow, failed } = progress;
  const limit = limitOf(run, progress);
  if (limit !== undefined) return { status: "failed", error: limit };
  if (failed !== undefined && on_failure !== "continue") return roundFailed(run, progress);
  const isBounded = rounds >= (times ?? max_iterations) || clock.isOver;
  if (!isBounded && failuresInARow < MOST_FAILURES_IN_A_ROW) return { status: "again" };
  if (succeeded > 0 || failed === undefined) return { status: "done" };
  const error = loopNoneSucceeded({ step: run.step.id, rounds, failed });
  return { status: "failed", error: toErrorReport(error) };
}

/** The same where a condition does. What cannot be decided raises EXPRESSION_* errors. */
function judgeUntil(run: StepRun<LoopSettings>, progress: Progress): Verdict {
  const { until = "", max_iterations = DEFAULT_MAX_ITERATIONS } = run.settings;
  const { rounds, context, failed } = progress;
  const limit = limitOf(run, progress);
  if (limit !== undefined) return { status: "failed", error: limit };
  try {
    if (run.scopeIn(context).holds(until)) return { status: "done" };
  } catch (error) {
    if (failed === undefined) throw error;
    // What the condition asks for is missing because the round did not get there: that is the news.
    return roundFailed(run, progress, toErrorReport(error).message);
  }
  if (rounds < max_iterations) return { status: "again" };
  const error = loopLimit({ step: run.step.id, until, rounds });
  return { status: "failed", error: toErrorReport(error) };
}

/** A limit that keeps further rounds from doing better. */
function limitOf(
  { context }: StepRun<LoopSettings>,
  { lastRound }: Progress,
): ErrorReport | undefined {
  const failure = lastRound.find(({ success }) => !success);
  return failure === undefined ? undefined : limitAround(failure, context.run.id);
}

function roundFailed(
  { step }: StepRun<LoopSettings>,
  { rounds: round, failed = "" }: Progress,
  undecided?: string,
): Verdict {
  const unknown = undecided === undefined ? {} : { undecided };
  const error = loopRoundFailed({ step: step.id, round, failed, ...unknown });
  return { status: "failed", error: toErrorReport(error) };
}

interface LoopEnd {
  /** Whether it goes on after rounds that fail. */
  readonly goesOn: boolean;
  readonly progress: Progress;
  readonly records: readonly StepRecord[];
}

function toOutcome(
  { progress: { rounds, lastRound, succeeded }, records, goesOn }: LoopEnd,
  more: Pick<StepOutcome, "error" | "handlesFailures">,
): StepOutcome {
  const last = lastRound.flatMap(({ stepId, success, data, isSkipped }): [string, Json][] =>
    isSkipped === true || (!success && data === null) ? [] : [[stepId, data]],
  );
  const data = { iterations: rounds, last: Object.fromEntries(last) };
  const whole = count(rounds, "round");
  return {
    data: goesOn ? { ...data, succeeded, failed: rounds - succeeded } : data,
    output: goesOn ? `${succeeded} of ${whole} succeeded` : whole,
    records,
    ...more,
  };
}
