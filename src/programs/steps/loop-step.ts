import { z } from "zod";
import type { StepOutcome, StepRun, StepType } from "../../contracts/ports/step-type.ts";
import type { StepRecord, WorkflowContext } from "../../contracts/step-context.ts";
import { count } from "../../foundation/count.ts";
import { type ErrorReport, toErrorReport } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import { loopLimit, loopRoundFailed } from "./parts/errors.ts";
import { limitAround } from "./parts/limit-around.ts";
import { PLAIN_STEP } from "./parts/plain-step.ts";

const settings = z.strictObject({
  until: z
    .string()
    .min(1)
    .optional()
    .describe("An expression, asked after each round; the loop ends when it holds."),
  times: z.int().min(1).max(100_000).optional().describe("How many rounds, instead of `until`."),
  max_iterations: z
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe("With `until`: rounds after which the loop has failed. Default: 100."),
});

type LoopSettings = z.infer<typeof settings>;

const DEFAULT_MAX_ITERATIONS = 100;

/** Runs its steps one after another, round by round; each round sees what the one before came to. */
export const loopStep = {
  ...PLAIN_STEP,
  name: "loop",
  summary: "Repeats steps until a condition holds, or some times",
  settings,
  nested: "list",
  expressions: ["until"],
  names: ["index"],
  check: ({ until, times, max_iterations }, { nestedCount }) => {
    if (nestedCount === 0)
      return [{ problem: "has nothing inside of it", hint: "write a list under `steps`" }];
    if (until === undefined && times === undefined)
      return [{ problem: "never ends", hint: "write until: EXPRESSION, or times: NUMBER" }];
    if (until !== undefined && times !== undefined)
      return [{ key: "times", problem: "stands beside until", hint: "use max_iterations" }];
    if (times === undefined || max_iterations === undefined) return [];
    return [
      { key: "max_iterations", problem: "has no meaning beside times", hint: "remove one of them" },
    ];
  },
  run,
} as const satisfies StepType<LoopSettings>;

/** How far a loop has come. */
interface Progress {
  /** Finished rounds. */
  readonly rounds: number;
  readonly context: WorkflowContext;
  readonly lastRound: readonly StepRecord[];
}

async function run(run: StepRun<LoopSettings>): Promise<StepOutcome> {
  const { until, max_iterations = DEFAULT_MAX_ITERATIONS } = run.settings;
  const all: StepRecord[] = [];
  let progress: Progress = { rounds: 0, context: run.scope.context, lastRound: [] };
  for (;;) {
    progress = await runRound(run, progress);
    for (const record of progress.lastRound) all.push(record);
    const verdict = judge(run, progress);
    if (verdict.status === "failed") return toOutcome(progress, all, { error: verdict.error });
    if (verdict.status === "done")
      return toOutcome(progress, all, until === undefined ? {} : { handlesFailures: true });
    if (until !== undefined && progress.rounds >= max_iterations) {
      const error = loopLimit({ step: run.step.id, until, rounds: progress.rounds });
      return toOutcome(progress, all, { error: toErrorReport(error) });
    }
  }
}

/** One round; a step that fails is the last of it. */
async function runRound(run: StepRun<LoopSettings>, before: Progress): Promise<Progress> {
  const { rounds } = before;
  const lastRound: StepRecord[] = [];
  let { context } = before;
  for (const step of run.step.steps) {
    const record = await run.runNested({
      step,
      place: `[${rounds + 1}]`,
      context,
      names: { index: rounds },
      isRound: true,
    });
    lastRound.push(record);
    context = run.extend(context, [record]);
    if (!record.success) break;
  }
  return { rounds: rounds + 1, context, lastRound };
}

type Verdict =
  | { readonly status: "done" }
  | { readonly status: "again" }
  | { readonly status: "failed"; readonly error: ErrorReport };

/** Whether another round follows. What cannot be decided raises EXPRESSION_* errors. */
function judge(run: StepRun<LoopSettings>, { rounds, context, lastRound }: Progress): Verdict {
  const { until, times = 0 } = run.settings;
  const failure = lastRound.find(({ success }) => !success);
  const limit = failure === undefined ? undefined : limitAround(failure, run.context.run.id);
  // Another round could not do better.
  if (limit !== undefined) return { status: "failed", error: limit };
  if (until === undefined) {
    if (failure !== undefined) return roundFailed(run, { rounds, failure });
    return { status: rounds >= times ? "done" : "again" };
  }
  try {
    return { status: run.scopeIn(context).holds(until) ? "done" : "again" };
  } catch (error) {
    if (failure === undefined) throw error;
    // What the condition asks for is missing because the round did not get there: that is the news.
    return roundFailed(run, { rounds, failure, undecided: toErrorReport(error).message });
  }
}

function roundFailed(
  { step }: StepRun<LoopSettings>,
  end: { readonly rounds: number; readonly failure: StepRecord; readonly undecided?: string },
): Verdict {
  const { rounds, failure, ...undecided } = end;
  const failed = `${failure.stepId}: ${failure.error?.message ?? ""}`;
  const error = loopRoundFailed({ step: step.id, round: rounds, failed, ...undecided });
  return { status: "failed", error: toErrorReport(error) };
}

function toOutcome(
  { rounds, lastRound }: Progress,
  records: readonly StepRecord[],
  more: Pick<StepOutcome, "error" | "handlesFailures">,
): StepOutcome {
  const last = lastRound.flatMap(({ stepId, success, data, isSkipped }): [string, Json][] =>
    isSkipped === true || (!success && data === null) ? [] : [[stepId, data]],
  );
  return {
    data: { iterations: rounds, last: Object.fromEntries(last) },
    output: count(rounds, "round"),
    records,
    ...more,
  };
}
