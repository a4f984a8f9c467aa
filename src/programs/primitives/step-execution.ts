import type { StepSpec } from "../../contracts/step.ts";
import { elapsedMs } from "../../foundation/duration.ts";
import type { ErrorReport } from "../../foundation/errors.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import type { ConventionFacts } from "../patterns/conventions/convention-facts.ts";
import { markedText } from "../patterns/conventions/marked-text.ts";
import { findReusable, hashOfInput, takeOver } from "./reuse-step.ts";
import {
  type AttemptResult,
  attemptStep,
  checkScope,
  type FailedTry,
  markerOf,
} from "./step-attempt.ts";
import { readBaseline } from "./step-baseline.ts";
import { placeOf } from "./step-place.ts";
import type { StepResult } from "./step-results.ts";
import { evaluateWhen, fillTask, type VariableSources } from "./step-variables.ts";
import type { Team } from "./team.ts";

/** One step of a pattern, ready to be carried out. */
export interface StepExecution {
  readonly step: StepSpec;
  /** From 1; a step that a person sends round again is executed once more. */
  readonly execution: number;
  /** The convention block of the step's agent, by pattern and place. */
  readonly convention: (facts: ConventionFacts) => string;
}

/** Who tries a step, in order: its own agent as often as it may, then the fallbacks, then the escalation. */
interface Try {
  readonly agent: string;
  readonly attempt: number;
  /** Wait before, in ms. */
  readonly delayMs: number;
}

/**
 * Carries a step out: `when`, attempts with backoff, fallbacks, escalation; every move is a note.
 * Rejects only on cancellation.
 */
export async function executePatternStep(
  sources: VariableSources,
  team: Team,
  execution: StepExecution,
): Promise<StepResult> {
  const { context, definition } = sources;
  const { step } = execution;
  const place = placeOf(definition, step.id, execution.execution);
  const startedAt = context.now();
  try {
    if (step.when !== undefined && !evaluateWhen(sources, step.when)) {
      const reason = `when: ${step.when}`;
      context.note({ type: "step-skipped", ...place, reason });
      return { status: "skipped", reason };
    }
    return await tryAll(sources, team, execution);
  } catch (error) {
    const report = toErrorReport(error);
    const durationMs = elapsedMs(startedAt, context.now());
    if (report.code === "ENGINE_CANCELLED") {
      context.note({ type: "step-cancelled", ...place, reason: report.message });
      throw error;
    }
    context.note({
      type: "step-failed",
      ...place,
      attempt: 1,
      error: report,
      durationMs,
      agent: step.agent,
    });
    return { status: "failed", agent: step.agent, error: report, attempts: 1, durationMs };
  }
}

async function tryAll(
  sources: VariableSources,
  team: Team,
  execution: StepExecution,
): Promise<StepResult> {
  const { context, definition } = sources;
  const { step } = execution;
  const place = placeOf(definition, step.id, execution.execution);
  const startedAt = context.now();
  const { task, told } = await fillTask(sources, step.prompt);
  const { convention } = execution;
  const inputHash = hashOfInput(sources, team, { step, task, convention });
  const reusable = findReusable(sources, { ...place, inputHash });
  if (reusable !== undefined) return takeOver(sources, { ...place, inputHash }, reusable);
  const checks = checkScope(sources);
  let baseline = await readBaseline(checks, step.verify, team.cwd(step.agent));
  let before: FailedTry | undefined;
  let next: Try | undefined = { agent: step.agent, attempt: 1, delayMs: 0 };
  for (;;) {
    const { agent, attempt } = next;
    context.note({ type: "step-started", ...place, attempt, agent, inputHash });
    const { path } = place;
    const address = { id: step.id, path, execution: place.execution, attempt };
    // Another agent may work in another directory, with scripts of its own that check it.
    if (team.cwd(agent) !== baseline.cwd)
      baseline = await readBaseline(checks, step.verify, team.cwd(agent));
    const conventions = convention(team.facts(agent, markerOf(step, team.handle(agent))));
    const result = await attemptStep(sources, team, {
      step,
      address,
      agent,
      task,
      told: markedText(told),
      convention: conventions,
      before,
      baseline,
    });
    const durationMs = elapsedMs(startedAt, context.now());
    if (result.status === "completed")
      return complete(sources, execution, { agent, attempt, durationMs, result });
    before = { error: result.error, output: result.output };
    next = nextTry(step, { agent, attempt, error: result.error });
    if (next === undefined) {
      context.note({
        type: "step-failed",
        ...place,
        attempt,
        error: result.error,
        durationMs,
        agent,
      });
      return { status: "failed", agent, error: result.error, attempts: attempt, durationMs };
    }
    context.note({
      type: "step-retrying",
      ...place,
      attempt,
      error: result.error,
      delayMs: next.delayMs,
      agent: next.agent,
    });
    if (next.delayMs > 0) await context.sleep(next.delayMs);
  }
}

function complete(
  sources: VariableSources,
  { step, execution }: StepExecution,
  done: {
    readonly agent: string;
    readonly attempt: number;
    readonly durationMs: number;
    readonly result: Extract<AttemptResult, { status: "completed" }>;
  },
): StepResult {
  const { agent, attempt, durationMs, result } = done;
  const { output, outputTruncated, text, reason } = result;
  const { context, definition } = sources;
  const place = placeOf(definition, step.id, execution);
  context.note({
    type: "step-completed",
    ...place,
    attempt,
    output,
    ...(outputTruncated ? { outputTruncated } : {}),
    ...(text === output ? {} : { text }),
    reason,
    durationMs,
    agent,
  });
  const revised = context.revised(place)?.output;
  const handedOver = revised === undefined ? { output, text } : { output: revised, text: revised };
  return { status: "completed", agent, ...handedOver, reason, attempts: attempt, durationMs };
}

/** Who tries after a failure, or undefined when nobody is left. */
function nextTry(
  step: StepSpec,
  failed: { readonly agent: string; readonly attempt: number; readonly error: ErrorReport },
): Try | undefined {
  const attempt = failed.attempt + 1;
  const mayRetry =
    failed.error.retryable === true &&
    failed.attempt < step.maxAttempts &&
    failed.agent === step.agent;
  if (mayRetry) return { agent: step.agent, attempt, delayMs: retryDelayMs(step, failed.attempt) };
  const { fallback, escalateTo } = step;
  // Each other agent tries once, however often it is named; -1 + 1 is the first of them.
  const others = new Set([...fallback, ...(escalateTo === undefined ? [] : [escalateTo])]);
  others.delete(step.agent);
  const agent = [...others][[...others].indexOf(failed.agent) + 1];
  return agent === undefined ? undefined : { agent, attempt, delayMs: 0 };
}

const MAX_RETRY_DELAY_MS = 300_000;

/** Doubles with every attempt. No jitter: the agents of one run do not storm anything together. */
function retryDelayMs(step: StepSpec, failedAttempts: number): number {
  return Math.min(MAX_RETRY_DELAY_MS, step.retryDelayMs * 2 ** (failedAttempts - 1));
}
