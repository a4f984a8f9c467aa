import { failureOf, toldError, withoutFailure } from "../../contracts/failure.ts";
import type { FlowStep } from "../../contracts/flow-step.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type {
  NestedRun,
  StepOutcome,
  StepRun,
  StepScope,
} from "../../contracts/ports/step-type.ts";
import type { StepRecord, WorkflowContext } from "../../contracts/step-context.ts";
import {
  commandFacts,
  commandInData,
  factsOfNothing,
  type StepFacts,
} from "../../contracts/step-facts.ts";
import { TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import { isRecord, type Json } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { stepTimedOut } from "../errors.ts";
import {
  type Attempted,
  type ExecutionPlace,
  executeStep,
  type FailedTry,
  type StepCase,
  type StepEnd,
  type StepTry,
} from "../step/execute-step.ts";
import type { Gates } from "../step/gates/gate-files.ts";
import { type PlaceOfWork, placeAt } from "../step/gates/work-place.ts";
import { itemLabel } from "../step/item-label.ts";
import { beginChecks, type StepChecks } from "../step/step-checks.ts";
import { inputMissing } from "../steps/parts/errors.ts";
import { outputText, recordedData, storedData } from "../steps/parts/step-data.ts";
import type { StepEngine } from "./step-engine.ts";
import { createStepScope } from "./step-scope.ts";

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
  /** What people know it by, where it is one of many. */
  readonly label?: string;
}

/** A step that is under way. */
interface Execution extends StepUnit {
  readonly engine: StepEngine;
  readonly scope: StepScope;
  readonly place: ExecutionPlace;
  /** What checks it, as it was before the first attempt in each place. */
  readonly firstGates: Map<string, Gates>;
}

/** Carries a step out. Resolves with what it came to, also when it failed; rejects only when it is cancelled. */
export async function executeFlowStep(engine: StepEngine, unit: StepUnit): Promise<StepRecord> {
  const { step, path, context } = unit;
  const execution: Execution = {
    ...unit,
    engine,
    scope: scopeIn(engine, unit, context),
    place: { step: step.id, path, execution: engine.nextExecution(path) },
    firstGates: new Map(),
  };
  const end = await executeStep(caseOf(execution));
  return toRecord(execution, end);
}

function caseOf(execution: Execution): StepCase<StepOutcome> {
  const { door, engine, place, step, scope, context, names } = execution;
  const { when, maxAttempts, retryDelayMs } = step;
  return {
    door,
    place,
    ...present({ label: execution.label }),
    when,
    tries: {
      ...{ agent: agentOf(execution), maxAttempts, retryDelayMs },
      others: engine.typeOf(step).fallbacks?.(engine.settingsOf(step)) ?? [],
    },
    holds: scope.holds,
    prepare: () => {
      assertInput({ step, scope });
      return engine.print.of({ step, scope, context, names });
    },
    // What has steps inside of it takes over those, one by one.
    reusable: (inputHash) =>
      step.steps.length > 0
        ? undefined
        : door.reusable({ path: place.path, execution: place.execution, inputHash }),
    attempt: (now, before) => attemptStep(execution, now, before),
  };
}

/** A step has the input that it names (STP-16), or raises STEP_INPUT_MISSING. */
function assertInput({ step, scope }: Pick<StepRun, "step" | "scope">): void {
  const { input } = step;
  if (input === undefined) return;
  const record = scope.context.getResult(input);
  const hasFailed = record?.success === false;
  if (!hasFailed && scope.context.dataOf(input) !== undefined) return;
  const problem = record === undefined ? "it has not run" : "its latest execution failed";
  throw inputMissing({ step: step.id, input, problem });
}

/** The agent that a step names, for those who follow the run. */
function agentOf({ engine, step }: Execution): string | undefined {
  const type = engine.typeOf(step);
  const settings = engine.settingsOf(step);
  const others = type.fallbacks?.(settings) ?? [];
  return type.agents?.(settings).find((agent) => !others.includes(agent));
}

async function attemptStep(
  execution: Execution,
  { attempt, agent }: StepTry,
  before: FailedTry | undefined,
): Promise<Attempted<StepOutcome>> {
  const { engine, door, step, place, key } = execution;
  const type = engine.typeOf(step);
  // What failed inside of it before has no part in this attempt: a list may be shorter now.
  engine.truth.handleBelow(key);
  const { timeoutMs } = step;
  const timed = type.deadline === "scope" && timeoutMs !== undefined ? { timeoutMs } : {};
  try {
    const address = { id: step.id, path: place.path, execution: place.execution, attempt };
    const scope = door.scope(
      step.id,
      (context) =>
        work(
          execution,
          toRun(execution, { context, address, before, settings: settingsFor(execution, agent) }),
        ),
      timed,
    );
    return await scope.result;
  } catch (error) {
    const report = toErrorReport(error);
    if (report.code === "ENGINE_CANCELLED") throw error;
    const isLate = report.code === "ENGINE_TIMED_OUT" && timeoutMs !== undefined;
    const told = isLate ? toErrorReport(stepTimedOut({ step: step.id, timeoutMs })) : report;
    return { status: "failed", error: told, output: "" };
  }
}

/** The settings as whoever tries has them: the agent of the step, or one of those that try after it. */
function settingsFor(execution: Execution, agent: string | undefined): unknown {
  const { engine, step } = execution;
  const settings = engine.settingsOf(step);
  const type = engine.typeOf(step);
  if (agent === undefined || agent === agentOf(execution)) return settings;
  return type.triedBy?.(settings, agent) ?? settings;
}

/** What checks a step is put back in any case, also when its work rejects. */
async function work(execution: Execution, run: StepRun): Promise<Attempted<StepOutcome>> {
  const { engine, step } = execution;
  const checks = step.verify.length === 0 ? undefined : await checksOf(execution, run);
  let done: StepOutcome;
  try {
    const given = await engine.typeOf(step).run(run);
    done = { ...given, data: engine.bounds.admit(step.id, given.data) };
  } catch (error) {
    if (error instanceof TroupeError && error.code === "ENGINE_CANCELLED") throw error;
    await checks?.judge(undefined);
    throw error;
  }
  const { outputTruncated = false, reason = checks === undefined ? "exit" : "verified" } = done;
  const output = outputText(done);
  const { data, agent, outcome: word, error } = done;
  const judged = await checks?.judge(error === undefined ? { output, outputTruncated } : undefined);
  const failure = error ?? judged;
  if (failure !== undefined) {
    const kept = data === null ? {} : { data };
    return { status: "failed", error: failure, output, ...kept, done };
  }
  const recorded = {
    ...(word === undefined ? {} : { outcome: word }),
    ...storedData(output, data),
  };
  return { status: "completed", work: { output, outputTruncated, reason, agent, recorded }, done };
}

async function checksOf(execution: Execution, run: StepRun): Promise<StepChecks> {
  const { context, scope, step } = run;
  const place = placeOfWork(execution, run);
  const checked = { step: step.id, checks: step.verify, place };
  const texts = { context, text: scope.text, command: scope.command };
  const checks = await beginChecks(texts, checked, execution.firstGates.get(place.name));
  execution.firstGates.set(place.name, checks.gates);
  return checks;
}

/** The place of the agent that the step names, else that of the run. */
function placeOfWork({ engine }: Execution, { settings, context }: StepRun): PlaceOfWork {
  const agent = isRecord(settings) ? settings["agent"] : undefined;
  return typeof agent === "string" ? engine.place(agent) : placeAt(context.run.cwd);
}

function toRun(
  execution: Execution,
  own: Pick<StepRun, "context" | "address" | "before" | "settings">,
): StepRun {
  const { engine, step, scope } = execution;
  return {
    ...own,
    step,
    scope,
    definition: engine.definition,
    traitsOf: engine.traitsOf,
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
  { texts, definition }: StepEngine,
  { step, names, door }: StepUnit,
  context: WorkflowContext,
): StepScope {
  const { format } = definition;
  const own = { input: step.input, names, isChild: door.run.isChild, format };
  return createStepScope(texts, context, own);
}

function runNested(
  { engine, path, key, context, names }: Execution,
  door: Context,
  nested: NestedRun,
): Promise<StepRecord> {
  const { step, place, isRound = false } = nested;
  const below = isRound ? "" : place;
  return executeFlowStep(engine, {
    step,
    path: `${path}${place}/${step.id}`,
    key: `${key}${below}/${step.id}`,
    parentKey: key,
    door: nested.door ?? door,
    context: nested.context ?? context,
    names: { ...names, ...nested.names },
    ...present({ label: itemLabel(nested.names?.["item"]) }),
  });
}

/** What a step came to, for the steps after it, and for the end of the workflow. */
function toRecord(execution: Execution, end: StepEnd<StepOutcome>): StepRecord {
  const { engine, step, key, parentKey, path, context } = execution;
  const record = recordOf(execution, end);
  switch (end.status) {
    case "skipped":
      // It has not been executed: what it came to before stands, a failure too.
      return {
        ...record,
        success: true,
        data: null,
        isSkipped: true,
        facts: factsOfNothing("skipped"),
      };
    case "reused": {
      const data = recordedData(end.revised ?? end.reused);
      engine.truth.succeed(key);
      const recalled = engine.typeOf(step).recall?.(step, data, context);
      const { output, text, reason, outcome = reason, attempt: attempts, durationMs } = end.reused;
      const said = end.revised?.output ?? output;
      const facts = factsOf(step, data, {
        output: said,
        text: end.revised?.output ?? text ?? output,
      });
      return {
        ...record,
        success: true,
        data,
        ...recalled,
        facts: { ...facts, status: "completed", outcome, error: null, attempts, durationMs },
      };
    }
    case "completed": {
      const { done } = end;
      engine.truth.succeed(key);
      if (done.handlesFailures === true) engine.truth.handleBelow(key);
      const data = end.revised === undefined ? done.data : recordedData(end.revised);
      const { output, reason, recorded } = end.work;
      const { text = output, outcome = reason } = recorded;
      const told = end.revised?.output;
      const facts = factsOf(step, data, { output: told ?? output, text: told ?? text });
      const attempts = end.now.attempt;
      return {
        ...record,
        success: true,
        data,
        ...restOf(done),
        facts: {
          ...facts,
          ...{ status: "completed", outcome, error: null, attempts, durationMs: end.durationMs },
        },
      };
    }
    case "failed": {
      const { error, data = null, done, durationMs } = end;
      const output = end.output || (failureOf(error)?.stdout ?? "");
      engine.truth.fail(key, parentKey, { path, error: withoutFailure(error) });
      const facts = factsOf(step, data, { output, text: output });
      const attempts = end.now.attempt;
      return {
        ...record,
        success: false,
        data,
        error,
        ...restOf(done),
        facts: {
          ...facts,
          ...{ status: "failed", outcome: error.code, error: toldError(error) },
          ...{ attempts, durationMs },
        },
      };
    }
  }
}

function factsOf(
  { type }: FlowStep,
  data: Json,
  said: { readonly output: string; readonly text: string },
): Pick<StepFacts, "output" | "text" | "exitCode" | "stdout" | "stderr"> {
  return { ...said, ...commandFacts(type === "shell" ? commandInData(data) : undefined) };
}

function restOf(done: StepOutcome | undefined): Pick<StepRecord, "inner" | "comment"> {
  const { records, comment } = done ?? {};
  return {
    ...present({ inner: records, comment }),
  };
}

function recordOf(
  { engine, step }: Execution,
  { startedAt, endedAt, durationMs }: StepEnd<StepOutcome>,
): Omit<StepRecord, "success" | "data" | "error" | "inner" | "comment" | "facts"> {
  return {
    stepId: step.id,
    startTime: toIsoTime(startedAt),
    endTime: toIsoTime(endedAt),
    durationMs,
    ...(step.output === undefined ? {} : { output: step.output }),
    ...(engine.typeOf(step).isLookedThrough === true ? { isLookedThrough: true } : {}),
  };
}
