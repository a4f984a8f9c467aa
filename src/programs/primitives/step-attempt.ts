import type { AgentHandle } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import { errorText } from "../../contracts/failure.ts";
import type { TurnResult } from "../../contracts/ports/context.ts";
import type { StepAddress, StepSpec } from "../../contracts/step.ts";
import { TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { endOfOutput } from "../../foundation/output-end.ts";
import { present } from "../../foundation/present.ts";
import {
  type Completion,
  completionOf,
  demandedMarker,
  outputOf,
} from "../../signals/decide-completion.ts";
import { readSignals } from "../../signals/read-signals.ts";
import { noSignal, reportedFailure, turnStopped } from "../errors.ts";
import { reminderFor, withTask } from "../patterns/conventions/convention.ts";
import { retryPreface } from "../patterns/conventions/retry-preface.ts";
import type { Attempted, FailedTry } from "../step/execute-step.ts";
import type { StepChecks } from "../step/step-checks.ts";
import type { AskedTurn } from "./reflections.ts";
import type { VariableSources } from "./step-variables.ts";
import type { Team } from "./team.ts";

/** A step that an agent does. */
export interface StepByAgent extends StepSpec {
  readonly agent: string;
}

/** One attempt of one agent at one step. */
export interface StepAttempt {
  readonly step: StepByAgent;
  readonly address: StepAddress;
  readonly agent: string;
  /** The task with its variables filled in. */
  readonly task: string;
  /** The same for an agent that reads: what others wrote is marked. */
  readonly told: string;
  /** The convention block, asked for if the agent takes one. */
  readonly convention: () => string;
  readonly before: FailedTry | undefined;
  readonly checks: StepChecks;
}

type Result = Attempted<undefined>;

/**
 * Gives a step to an agent once: the turn, a reminder if its signal is missing (SIG-6), then the checks.
 * What checks it is put back in any case. Cancellation rejects; everything else is a result.
 */
export async function attemptStep(
  sources: VariableSources,
  team: Team,
  attempt: StepAttempt,
): Promise<Result> {
  const result = await orFailed(() => takeTurns(sources, team, attempt));
  return orFailed(async () => {
    if (result.status === "failed") {
      await attempt.checks.judge(undefined);
      return result;
    }
    const { output, outputTruncated, recorded } = result.work;
    const text = withoutGiven(recorded.text ?? output, attempt);
    const error = await attempt.checks.judge({ output, outputTruncated, text });
    return error === undefined ? result : { status: "failed", error, output, isSaid: true };
  });
}

/** What the agent said itself: what it was told and says again is no word of its own. */
function withoutGiven(text: string, { task, told }: StepAttempt): string {
  return [task, told].reduce(
    (left, given) => (given.trim() === "" ? left : left.replace(given.trim(), () => "")),
    text,
  );
}

async function orFailed(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof TroupeError && error.code === "ENGINE_CANCELLED") throw error;
    return failed(error, "");
  }
}

async function takeTurns(
  { context, definition }: VariableSources,
  team: Team,
  attempt: StepAttempt,
): Promise<Result> {
  const handle = team.handle(attempt.agent);
  const first = await team.turn(context, askedFirst(definition, handle, attempt));
  const completion = judge(handle, attempt, first);
  const result = { handle, attempt, turn: first, completion };
  if (completion.status !== "unsignalled" || first.stopReason !== "end_turn")
    return toResult(result);
  const { agent } = attempt;
  const reminder = reminderFor(completion.marker);
  const asked = { agent, prompt: reminder, options: turnOptions(attempt) };
  const second = await team.turn(context, asked);
  return toResult({ ...result, turn: second, completion: judge(handle, attempt, second) });
}

function askedFirst(
  definition: PatternDefinition,
  handle: AgentHandle,
  attempt: StepAttempt,
): AskedTurn {
  const { task, told, convention, before, agent } = attempt;
  const error = before === undefined ? undefined : errorText(definition, before.error);
  const options = {
    ...turnOptions(attempt),
    ...present({ previousError: error }),
  };
  if (handle.conventions === "none") return { agent, prompt: task, options };
  const preface =
    before === undefined
      ? undefined
      : retryPreface(definition, { error: before.error, previousOutput: before.output });
  const block = preface === undefined ? convention() : `${convention()}\n\n${preface}`;
  return { agent, prompt: withTask(block, told), options: { ...options, task } };
}

function turnOptions({ step, address }: StepAttempt) {
  const { expects, timeoutMs } = step;
  return {
    step: address,
    announce: "signal" as const,
    ...present({ expects, timeoutMs }),
  };
}

function judge(handle: AgentHandle, { step }: StepAttempt, turn: TurnResult): Completion {
  const { expects, verify: checks } = step;
  const { demandsSignal } = handle;
  return completionOf(turn, { expects, demandsSignal, isVerified: checks.length > 0 });
}

interface Judged {
  readonly handle: AgentHandle;
  readonly attempt: StepAttempt;
  readonly turn: TurnResult;
  readonly completion: Completion;
}

function toResult({ handle, attempt, turn, completion }: Judged): Result {
  if (completion.status !== "done") return failed(failureOf(attempt, completion, turn), turn.text);
  const { text } = turn;
  const { output, outputTruncated } = outputIn(handle, turn, completion);
  const reason = attempt.step.verify.length > 0 ? "verified" : completion.reason;
  const recorded = text === output ? {} : { text };
  const work = { output, outputTruncated, reason, agent: undefined, recorded } as const;
  return { status: "completed", work, done: undefined };
}

function outputIn(
  handle: AgentHandle,
  { text, textTruncated }: TurnResult,
  completion: Extract<Completion, { status: "done" }>,
): { readonly output: string; readonly outputTruncated: boolean } {
  // What a program prints is its output to the letter; what an agent says is read and trimmed.
  if (handle.conventions === "none" && completion.reason === "exit")
    return { output: text, outputTruncated: textTruncated };
  const markers = completion.reason === "done-signal" ? [completion.signal.kind] : [];
  const { rest } = readSignals(text, { markers });
  // A payload stands whole in what was kept of the text; the rest of it may have lost its beginning.
  const isPayload = completion.reason === "done-signal" && outputOf("", completion) !== "";
  const { text: output, isTruncated } = endOfOutput(outputOf(rest, completion));
  return { output, outputTruncated: isTruncated || (textTruncated && !isPayload) };
}

function failureOf(
  { agent, step }: StepAttempt,
  completion: Exclude<Completion, { status: "done" }>,
  { stopReason }: TurnResult,
): TroupeError {
  switch (completion.status) {
    case "negative": {
      const { kind, value } = completion.signal;
      return reportedFailure({ agent, step: step.id, kind, text: value });
    }
    case "unsignalled":
      // Only an agent that ended its turn by itself was reminded.
      return stopReason === "end_turn"
        ? noSignal({ agent, step: step.id, marker: completion.marker })
        : turnStopped({ agent, step: step.id, stopReason });
    case "stopped":
      return turnStopped({ agent, step: step.id, stopReason });
  }
}

function failed(error: unknown, output: string): Result {
  return { status: "failed", error: toErrorReport(error), output, isSaid: true };
}

/** The marker that a step of this agent must give, if any. */
export function markerOf(step: StepSpec, handle: AgentHandle): string | undefined {
  return demandedMarker({ expects: step.expects, demandsSignal: handle.demandsSignal });
}
