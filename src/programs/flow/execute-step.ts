import type { RevisedStep } from "../../contracts/events/reuse.ts";
import type { FlowStep } from "../../contracts/flow-step.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type {
  NestedRun,
  StepOutcome,
  StepRun,
  StepScope,
} from "../../contracts/ports/step-type.ts";
import type { StepRecord, WorkflowContext } from "../../contracts/step-context.ts";
import { elapsedMs } from "../../foundation/duration.ts";
import { type ErrorReport, TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import type { Json } from "../../foundation/json.ts";
import { stepTimedOut } from "../steps/parts/errors.ts";
import { outputText, recordedData, storedData } from "../steps/parts/step-data.ts";
import { beginChecks, type FirstGates } from "../steps/verify-step.ts";
import type { StepEngine } from "./step-engine.ts";
import { createStepScope } from "./step-scope.ts";
import { takeInput } from "./take-input.ts";

/** One step that is to be carried out. */
export interface StepUnit {
  readonly step: FlowStep;
  /** Its place in the workflow: `review`, `all-files[3]/check`. */
  readonly path: string;
  /** What tells it from other steps; a round of a loop is the same step as the one before. */
  readonly key: string;
  /** The key of the step around it. */
  readonly parentKey?: string;
  /** The door of whoever asks. */
  readonly door: Context;
  /** What it sees. */
  readonly context: WorkflowContext;
  readonly names?: { readonly [name: string]: Json };
}

const MAX_RETRY_DELAY_MS = 300_000;

/** A step that has begun. */
interface Execution extends StepUnit {
  readonly engine: StepEngine;
  readonly scope: StepScope;
  readonly place: { readonly step: string; readonly path: string; readonly execution: number };
  readonly startedAt: number;
  readonly firstGates: FirstGates;
}

/** What one attempt came to. */
type Attempted =
  | { readonly status: "completed"; readonly outcome: StepOutcome }
  | { readonly status: "failed"; readonly error: ErrorReport; readonly outcome?: StepOutcome };

/**
 * Carries a step out: its condition, attempts with backoff, checks; every move is a note. Resolves with what it came
 * to, also when it failed; rejects only when it is cancelled.
 */
export async function executeStep(engine: StepEngine, unit: StepUnit): Promise<StepRecord> {
  const { step, path, door, context } = unit;
  const execution: Execution = {
    ...unit,
    engine,
    scope: scopeIn(engine, unit, context),
    place: { step: step.id, path, execution: engine.nextExecution(path) },
    startedAt: door.now(),
    firstGates: { gates: undefined },
  };
  try {
    if (step.when !== undefined && !execution.scope.holds(step.when))
      return skip(execution, step.when);
    return await tryStep(execution);
  } catch (error) {
    const report = toErrorReport(error);
    if (report.code === "ENGINE_CANCELLED") {
      door.note({ type: "step-cancelled", ...execution.place, reason: report.message });
      throw error;
    }
    return fail(execution, 1, { status: "failed", error: report });
  }
}

/** A skipped step has not been executed: what it came to before stands, a failure too. */
function skip(execution: Execution, condition: string): StepRecord {
  const { door, place } = execution;
  door.note({ type: "step-skipped", ...place, reason: `when: ${condition}` });
  return { ...recordOf(execution), success: true, data: null, isSkipped: true };
}

async function tryStep(execution: Execution): Promise<StepRecord> {
  const { door, engine, place, step, scope, context, names } = execution;
  takeInput({ step, scope });
  const inputHash = engine.print.of({ step, scope, context, names });
  const reused = reuse(execution, inputHash);
  if (reused !== undefined) return reused;
  const agent = agentOf(execution);
  let before: StepRun["before"];
  for (let attempt = 1; ; attempt += 1) {
    door.note({ type: "step-started", ...place, attempt, inputHash, ...agent });
    const result = await attemptStep(execution, attempt, before);
    if (result.status === "completed") return complete(execution, attempt, result.outcome);
    if (result.error.retryable !== true || attempt >= step.maxAttempts)
      return fail(execution, attempt, result);
    const { error, outcome } = result;
    const delayMs = Math.min(MAX_RETRY_DELAY_MS, step.retryDelayMs * 2 ** (attempt - 1));
    door.note({ type: "step-retrying", ...place, attempt, error, delayMs, ...agent });
    if (delayMs > 0) await door.sleep(delayMs);
    before = { error, output: outcome === undefined ? "" : outputText(outcome) };
  }
}

/** What an earlier run came to with the same input (ENG-15). What has steps inside of it takes over those, one by one. */
function reuse(execution: Execution, inputHash: string): StepRecord | undefined {
  const { door, engine, place, step, context, key } = execution;
  if (step.steps.length > 0) return undefined;
  const reused = door.reusable({ path: place.path, execution: place.execution, inputHash });
  if (reused === undefined) return undefined;
  const data = recordedData(revisedStep(execution) ?? reused);
  door.note({ type: "step-completed", ...place, ...reused });
  engine.truth.succeed(key);
  const recalled = engine.typeOf(step).recall?.(step, data, context);
  return { ...recordOf(execution), success: true, data, ...recalled };
}

/** The agent that a step names, for those who follow the run. */
function agentOf({ engine, step }: Execution): { readonly agent?: string } {
  const [agent] = engine.typeOf(step).agents?.(engine.settingsOf(step)) ?? [];
  return agent === undefined ? {} : { agent };
}

async function attemptStep(
  execution: Execution,
  attempt: number,
  before: StepRun["before"],
): Promise<Attempted> {
  const { engine, door, step, place, key } = execution;
  const type = engine.typeOf(step);
  // What failed inside of it before has no part in this attempt: a list may be shorter now.
  engine.truth.handleBelow(key);
  const isTimed = type.deadline === "scope" && step.timeoutMs !== undefined;
  const timed = isTimed && step.timeoutMs !== undefined ? { timeoutMs: step.timeoutMs } : {};
  try {
    const address = { id: step.id, path: place.path, execution: place.execution, attempt };
    const scope = door.scope(
      step.id,
      (context) => work(toRun(execution, { context, address, before })),
      timed,
    );
    return await scope.result;
  } catch (error) {
    const report = toErrorReport(error);
    if (report.code === "ENGINE_CANCELLED") throw error;
    if (report.code !== "ENGINE_TIMED_OUT" || step.timeoutMs === undefined)
      return { status: "failed", error: report };
    const { timeoutMs } = step;
    return { status: "failed", error: toErrorReport(stepTimedOut({ step: step.id, timeoutMs })) };
  }

  /** What checks a step is put back in any case, also when its work rejects. */
  async function work(run: StepRun): Promise<Attempted> {
    const checks =
      step.verify.length === 0 ? undefined : await beginChecks(run, execution.firstGates);
    let outcome: StepOutcome;
    try {
      const given = await type.run(run);
      outcome = { ...given, data: engine.bounds.admit(step.id, given.data) };
    } catch (error) {
      if (error instanceof TroupeError && error.code === "ENGINE_CANCELLED") throw error;
      await checks?.judge(undefined);
      throw error;
    }
    const failure = (await checks?.judge(outcome)) ?? outcome.error;
    if (failure !== undefined) return { status: "failed", error: failure, outcome };
    const isChecked = checks !== undefined && outcome.reason === undefined;
    return {
      status: "completed",
      outcome: isChecked ? { ...outcome, reason: "verified" } : outcome,
    };
  }
}

function toRun(
  execution: Execution,
  own: Pick<StepRun, "context" | "address" | "before">,
): StepRun {
  const { engine, step, scope } = execution;
  return {
    ...own,
    step,
    settings: engine.settingsOf(step),
    scope,
    definition: engine.definition,
    agent: (id) => engine.agent(id),
    runNested: (nested) => runNested(execution, own.context, nested),
    extend: (context, records) => {
      let extended = context;
      for (const record of records) extended = extended.addResult(record);
      return extended;
    },
    scopeIn: (context) => scopeIn(engine, execution, context),
  };
}

function scopeIn(
  { texts }: StepEngine,
  { step, names, door }: StepUnit,
  context: WorkflowContext,
): StepScope {
  return createStepScope(texts, context, { input: step.input, names, isChild: door.run.isChild });
}

function runNested(
  { engine, path, key, context, names }: Execution,
  door: Context,
  nested: NestedRun,
): Promise<StepRecord> {
  const { step, place, isRound = false } = nested;
  const below = isRound ? "" : place;
  return executeStep(engine, {
    step,
    path: `${path}${place}/${step.id}`,
    key: `${key}${below}/${step.id}`,
    parentKey: key,
    door,
    context: nested.context ?? context,
    names: { ...names, ...nested.names },
  });
}

function complete(execution: Execution, attempt: number, outcome: StepOutcome): StepRecord {
  const { door, place, engine, key, startedAt } = execution;
  const { data, reason = "exit", agent, outcome: word } = outcome;
  const output = outputText(outcome);
  door.note({
    type: "step-completed",
    ...place,
    attempt,
    output,
    ...(outcome.outputTruncated === true ? { outputTruncated: true } : {}),
    reason,
    durationMs: elapsedMs(startedAt, door.now()),
    ...(agent === undefined ? agentOf(execution) : { agent }),
    ...(word === undefined ? {} : { outcome: word }),
    ...storedData(output, data),
  });
  engine.truth.succeed(key);
  if (outcome.handlesFailures === true) engine.truth.handleBelow(key);
  const revised = revisedStep(execution);
  const handedOver = revised === undefined ? data : recordedData(revised);
  return { ...recordOf(execution), success: true, data: handedOver, ...restOf(outcome) };
}

/** What a fork puts in place of what the step came to. */
function revisedStep({ door, place }: Execution): RevisedStep | undefined {
  return door.revised(place);
}

function fail(
  execution: Execution,
  attempt: number,
  { error, outcome }: Extract<Attempted, { status: "failed" }>,
): StepRecord {
  const { door, place, engine, key, parentKey, path, startedAt } = execution;
  const data = outcome?.data ?? null;
  door.note({
    type: "step-failed",
    ...place,
    attempt,
    error,
    durationMs: elapsedMs(startedAt, door.now()),
    ...agentOf(execution),
    ...(data === null ? {} : { data }),
  });
  engine.truth.fail(key, parentKey, { path, error });
  return { ...recordOf(execution), success: false, data, error, ...restOf(outcome) };
}

function restOf(outcome: StepOutcome | undefined): Pick<StepRecord, "inner" | "comment"> {
  if (outcome === undefined) return {};
  const { records, comment } = outcome;
  return {
    ...(records === undefined ? {} : { inner: records }),
    ...(comment === undefined ? {} : { comment }),
  };
}

function recordOf({
  engine,
  step,
  door,
  startedAt,
}: Execution): Omit<StepRecord, "success" | "data" | "error" | "inner" | "comment"> {
  const endedAt = door.now();
  return {
    stepId: step.id,
    startTime: toIsoTime(startedAt),
    endTime: toIsoTime(endedAt),
    durationMs: elapsedMs(startedAt, endedAt),
    ...(step.output === undefined ? {} : { output: step.output }),
    ...(engine.typeOf(step).isLookedThrough === true ? { isLookedThrough: true } : {}),
  };
}
