import { z } from "zod";
import type { FlowStep } from "../../contracts/flow-step.ts";
import type {
  NestedRun,
  SettingFault,
  StepOutcome,
  StepRun,
  StepType,
  WrittenStep,
} from "../../contracts/ports/step-type.ts";
import type { StepRecord } from "../../contracts/step-context.ts";
import { elapsedMs } from "../../foundation/duration.ts";
import { type ErrorReport, toErrorReport } from "../../foundation/errors.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import { isJsonArray, type Json } from "../../foundation/json.ts";
import { valueKind } from "../language/value-kind.ts";
import { childrenFailed, notAList } from "./parts/errors.ts";
import { limitAround } from "./parts/limit-around.ts";
import { PLAIN_STEP } from "./parts/plain-step.ts";

const settings = z.strictObject({
  for_each: z
    .string()
    .min(1)
    .optional()
    .describe("An expression for a list; `step` is run for each `item` of it, with its `index`."),
  max_concurrency: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe("How many at the same time. Default: all steps of the list, 8 items of `for_each`."),
  min_success: z
    .int()
    .min(0)
    .optional()
    .describe("How many have to succeed. Default: all of them."),
});

type ParallelSettings = z.infer<typeof settings>;

const ITEMS_AT_ONCE = 8;
const ERRORS_SHOWN = 3;

/** Runs steps side by side, or one step for every item of a list; waits for all of them (STP-7). */
export const parallelStep = {
  ...PLAIN_STEP,
  name: "parallel",
  summary: "Runs steps side by side, or a step for each item of a list",
  settings,
  nested: "one-or-list",
  each: "for_each",
  expressions: ["for_each"],
  names: ["item", "index"],
  check,
  run: (run) => (run.settings.for_each === undefined ? runList(run) : runItems(run)),
  route: (step, { success }) => {
    const { next, on_error } = step.routes;
    const id = success ? next : (on_error ?? next);
    return id === undefined ? { kind: "end" } : { kind: "step", id };
  },
} as const satisfies StepType<ParallelSettings>;

function check(
  { for_each, min_success }: ParallelSettings,
  { nestedAs, nestedCount }: WrittenStep,
): readonly SettingFault[] {
  if (nestedCount === 0)
    return [{ problem: "has nothing inside of it", hint: "write a list under `steps`" }];
  if (for_each !== undefined) {
    if (nestedAs !== "steps") return [];
    const hint = "write the one step for each item under `step`";
    return [{ key: "steps", problem: "stands beside for_each", hint }];
  }
  if (nestedAs === "step") {
    const hint = "add for_each: context.<step>.<list>, or write a list under `steps`";
    return [{ key: "step", problem: "has no list that it is run for", hint }];
  }
  if (min_success === undefined || min_success <= nestedCount) return [];
  return [{ key: "min_success", problem: `wants ${min_success} of ${nestedCount} to succeed` }];
}

async function runList(run: StepRun<ParallelSettings>): Promise<StepOutcome> {
  const { step, definition, settings: own } = run;
  const nested = step.steps.map((each) => ({ step: each, place: "" }));
  const most = own.max_concurrency ?? definition.maxConcurrency ?? nested.length;
  const records = await runAll(run, nested, most);
  return { ...judge(run, records), data: records.map(toSettled), records };
}

async function runItems(run: StepRun<ParallelSettings>): Promise<StepOutcome> {
  const { step, context, definition, settings: own } = run;
  const [each] = step.steps;
  if (each === undefined) return { data: [] };
  const startedAt = context.now();
  const nested = listOf(run).map((item, index) => ({
    step: each,
    place: `[${index}]`,
    names: { item, index },
  }));
  const most = own.max_concurrency ?? definition.maxConcurrency ?? ITEMS_AT_ONCE;
  const records = await runAll(run, nested, most);
  return {
    ...judge(run, records),
    data: records.map((record, index) => ({ ...toSettled(record), index })),
    records: [sumUp(each, records, { startedAt, endedAt: context.now() })],
  };
}

function listOf({ step, scope, settings: { for_each = "" } }: StepRun<ParallelSettings>) {
  const value = scope.value(for_each);
  if (isJsonArray(value)) return value;
  throw notAList({ step: step.id, expression: for_each, found: valueKind(value) });
}

/** Runs so many at a time; the records have the order of the list, whoever is done first. */
async function runAll(
  run: StepRun<ParallelSettings>,
  nested: readonly NestedRun[],
  most: number,
): Promise<readonly StepRecord[]> {
  const records: StepRecord[] = [];
  const waiting = nested.entries();
  const work = async () => {
    // All workers take from the same iterator.
    for (const [index, each] of waiting) records[index] = await run.runNested(each);
  };
  await Promise.all(Array.from({ length: Math.min(most, nested.length) }, work));
  return records;
}

function judge(
  { step, context, settings: { for_each, min_success } }: StepRun<ParallelSettings>,
  records: readonly StepRecord[],
): Pick<StepOutcome, "error" | "output" | "handlesFailures"> {
  const failed = records.flatMap(({ stepId, success, error }, index) => {
    const name = for_each === undefined ? stepId : `${stepId}[${index}]`;
    return success ? [] : [`${name}: ${error?.message ?? ""}`];
  });
  const succeeded = records.length - failed.length;
  const output = `${succeeded} of ${records.length} succeeded`;
  // An empty list has no failures, and not enough successes when some are asked for.
  if (succeeded >= (min_success ?? records.length))
    return failed.length === 0 ? { output } : { output, handlesFailures: true };
  for (const record of records) {
    const limit = limitAround(record, context.run.id);
    if (limit !== undefined) return { output, error: limit };
  }
  const error = childrenFailed({
    step: step.id,
    failed: failed.length,
    total: records.length,
    first: failed.slice(0, ERRORS_SHOWN),
    ...(min_success === undefined ? {} : { minSuccess: min_success }),
  });
  return { output, error: toErrorReport(error) };
}

function toSettled(record: StepRecord) {
  const { stepId, success, data, durationMs } = record;
  const status = success ? "fulfilled" : "rejected";
  return { stepId, status, success, result: data, error: told(record.error), durationMs };
}

function told(error: ErrorReport | undefined): Json {
  return error === undefined ? null : { code: error.code, message: error.message };
}

/** What the step of a `for_each` is known as afterwards: the data of all items, in their order. */
function sumUp(
  { id, output }: FlowStep,
  records: readonly StepRecord[],
  { startedAt, endedAt }: { readonly startedAt: number; readonly endedAt: number },
): StepRecord {
  const failure = records.find(({ success }) => !success)?.error;
  return {
    stepId: id,
    success: records.every(({ success }) => success),
    data: records.map(({ success, data }) => (success ? data : null)),
    ...(failure === undefined ? {} : { error: failure }),
    startTime: toIsoTime(startedAt),
    endTime: toIsoTime(endedAt),
    durationMs: elapsedMs(startedAt, endedAt),
    ...(output === undefined ? {} : { output }),
  };
}
