import type { AgentHandle, CompletionReason } from "../../contracts/agent.ts";
import type { TurnResult } from "../../contracts/ports/context.ts";
import type { StepAddress, StepSpec } from "../../contracts/step.ts";
import { type ErrorReport, TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { endOfOutput } from "../../foundation/output-end.ts";
import {
  type Completion,
  completionOf,
  demandedMarker,
  outputOf,
} from "../../signals/decide-completion.ts";
import { readSignals } from "../../signals/read-signals.ts";
import { noSignal, reportedFailure, turnStopped } from "../errors.ts";
import { renderCommand } from "../language/templates/render-command.ts";
import { renderTemplate } from "../language/templates/render-template.ts";
import { parseTemplate } from "../language/templates/template.ts";
import { withTask } from "../patterns/conventions/convention.ts";
import { retryPreface } from "../patterns/conventions/retry-preface.ts";
import { reminderFor } from "../patterns/conventions/signal-text.ts";
import { restoreBaseline, type StepBaseline } from "./step-baseline.ts";
import { prepareLookup, type VariableSources } from "./step-variables.ts";
import type { Team } from "./team.ts";
import { type CheckScope, verify } from "./verification.ts";

/** What went wrong before, for the agent that tries next. */
export interface FailedTry {
  readonly error: ErrorReport;
  readonly output: string;
}

/** One attempt of one agent at one step. */
export interface StepAttempt {
  readonly step: StepSpec;
  readonly address: StepAddress;
  readonly agent: string;
  /** The task with its variables filled in. */
  readonly task: string;
  /** The same for an agent that reads: what others wrote is marked. */
  readonly told: string;
  /** The convention block, for agents that take one. */
  readonly convention: string;
  readonly before: FailedTry | undefined;
  readonly baseline: StepBaseline;
}

/** What an attempt came to. */
export type AttemptResult =
  | {
      readonly status: "completed";
      readonly output: string;
      readonly outputTruncated: boolean;
      readonly text: string;
      readonly reason: CompletionReason;
    }
  | { readonly status: "failed"; readonly error: ErrorReport; readonly output: string };

/**
 * Gives a step to an agent once: the turn, a reminder if its signal is missing (SIG-6), then the checks.
 * What checks it is put back in any case. Cancellation rejects; everything else is a result.
 */
export async function attemptStep(
  sources: VariableSources,
  team: Team,
  attempt: StepAttempt,
): Promise<AttemptResult> {
  const handle = team.handle(attempt.agent);
  const result = await orFailed(() => work(sources, handle, attempt));
  return orFailed(async () => {
    const breach = await restoreBaseline(sources.context, attempt.step.id, attempt.baseline);
    if (result.status === "failed") return result;
    if (breach !== undefined) return { status: "failed", error: breach, output: result.output };
    return check(sources, attempt, result);
  });
}

async function orFailed(run: () => Promise<AttemptResult>): Promise<AttemptResult> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof TroupeError && error.code === "ENGINE_CANCELLED") throw error;
    return failed(error, "");
  }
}

async function work(
  sources: VariableSources,
  handle: AgentHandle,
  attempt: StepAttempt,
): Promise<AttemptResult> {
  const { turn, completion } = await takeTurns(sources, handle, attempt);
  if (completion.status !== "done") return failed(failureOf(attempt, completion, turn), turn.text);
  return { status: "completed", ...toWork(handle, turn, completion) };
}

interface Work {
  readonly output: string;
  readonly outputTruncated: boolean;
  readonly text: string;
  readonly reason: CompletionReason;
}

async function takeTurns(
  sources: VariableSources,
  handle: AgentHandle,
  attempt: StepAttempt,
): Promise<{ readonly turn: TurnResult; readonly completion: Completion }> {
  const first = await askFirst(sources, handle, attempt);
  const completion = judge(handle, attempt, first);
  if (completion.status !== "unsignalled" || first.stopReason !== "end_turn")
    return { turn: first, completion };
  const second = await sources.context.turn(
    attempt.agent,
    reminderFor(completion.marker),
    turnOptions(attempt),
  );
  return { turn: second, completion: judge(handle, attempt, second) };
}

function askFirst(
  sources: VariableSources,
  handle: AgentHandle,
  attempt: StepAttempt,
): Promise<TurnResult> {
  const { task, told, convention, before, agent } = attempt;
  const options = {
    ...turnOptions(attempt),
    ...(before === undefined ? {} : { previousError: before.error.message }),
  };
  if (handle.conventions === "none") return sources.context.turn(agent, task, options);
  const preface =
    before === undefined
      ? undefined
      : retryPreface({ error: before.error.message, previousOutput: before.output });
  const block = preface === undefined ? convention : `${convention}\n\n${preface}`;
  return sources.context.turn(agent, withTask(block, told), { ...options, task });
}

function turnOptions({ step, address }: StepAttempt) {
  const { expects, timeoutMs } = step;
  return {
    step: address,
    announce: "signal" as const,
    ...(expects === undefined ? {} : { expects }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

function judge(handle: AgentHandle, { step }: StepAttempt, turn: TurnResult): Completion {
  const { expects, verify: checks } = step;
  const { demandsSignal } = handle;
  return completionOf(turn, { expects, demandsSignal, isVerified: checks.length > 0 });
}

function toWork(
  handle: AgentHandle,
  turn: TurnResult,
  completion: Extract<Completion, { status: "done" }>,
): Work {
  const { text, textTruncated: outputTruncated } = turn;
  // What a program prints is its output to the letter; what an agent says is read and trimmed.
  const isPlain = handle.conventions === "none" && completion.reason === "exit";
  if (isPlain) return { output: text, outputTruncated, text, reason: completion.reason };
  const { rest } = readSignals(text, { markers: markers(completion) });
  // A payload stands whole in what was kept of the text; the rest of it may have lost its beginning.
  const isPayload = completion.reason === "done-signal" && outputOf("", completion) !== "";
  const output = endOfOutput(outputOf(rest, completion));
  return {
    output: output.text,
    outputTruncated: output.isTruncated || (outputTruncated && !isPayload),
    text,
    reason: completion.reason,
  };
}

function markers(completion: Extract<Completion, { status: "done" }>): readonly string[] {
  return completion.reason === "done-signal" ? [completion.signal.kind] : [];
}

async function check(
  sources: VariableSources,
  { step, baseline }: StepAttempt,
  work: Extract<AttemptResult, { status: "completed" }>,
): Promise<AttemptResult> {
  if (step.verify.length === 0) return work;
  const { cwd, gitBefore } = baseline;
  const { output, outputTruncated } = work;
  const failure = await verify(checkScope(sources), step.verify, {
    step: step.id,
    cwd,
    output,
    outputTruncated,
    gitBefore,
  });
  if (failure !== undefined) return { status: "failed", error: failure, output };
  return { ...work, reason: "verified" };
}

/** The checks of a pattern's step see what its prompt sees. */
export function checkScope(sources: VariableSources): CheckScope {
  return {
    context: sources.context,
    text: async (text) => {
      const template = parseTemplate(text);
      return renderTemplate(template, await prepareLookup(sources, [template]));
    },
    command: async (command) => {
      const parts = typeof command === "string" ? [command] : command;
      const templates = parts.map((part) => parseTemplate(part));
      return renderCommand(command, await prepareLookup(sources, templates));
    },
  };
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

function failed(error: unknown, output: string): AttemptResult {
  return { status: "failed", error: toErrorReport(error), output };
}

/** The marker that a step of this agent must give, if any. */
export function markerOf(step: StepSpec, handle: AgentHandle): string | undefined {
  return demandedMarker({ expects: step.expects, demandsSignal: handle.demandsSignal });
}
