import type { Outcome, SuspendReason, WaitingItem } from "../../contracts/run.ts";
import type { RunState } from "../../fold/run-state.ts";
import { runningMsAt } from "../../fold/running-time.ts";
import { formatDuration } from "../../foundation/duration.ts";
import type { LineContext } from "./line-table.ts";

/** How a run ended, with what it took: `✔ done in 1m44s · 2 agents · 11 messages · $0.42`. */
export function endSentence(
  { state, glyphs, excerpt }: LineContext,
  end: { readonly outcome: Outcome; readonly reason: string; readonly durationMs: number },
): string {
  const duration = formatDuration(end.durationMs);
  const parts =
    end.outcome === "completed"
      ? [`${glyphs.done} done in ${duration}`]
      : [`${glyphs.failed} ${failureOf(end.outcome, excerpt(end.reason))}`, duration];
  return [...parts, ...totals(state)].join(` ${glyphs.dot} `);
}

/** Why a process let go of the run, and how to go on. */
export function suspensionSentence(
  { state, glyphs }: LineContext,
  suspension: { readonly reason: SuspendReason; readonly waitingFor: readonly WaitingItem[] },
): string {
  const resume = resumeCommand(state);
  switch (suspension.reason) {
    case "interrupted":
      return `${glyphs.paused} interrupted, state is saved: ${resume}`;
    case "paused":
      return `${glyphs.paused} paused: ${resume}`;
    case "waiting":
      return `${glyphs.attention} waiting for ${count(suspension.waitingFor.length, "decision")}: ${resume}`;
  }
}

/** The command that goes on with the run. */
export function resumeCommand(state: RunState): string {
  return `troupe resume ${state.run.id}`;
}

/** What the run took so far, in words: `2 agents`, `1 retry`, `$0.42`. Nothing stands for zero. */
export function totals(state: RunState): readonly string[] {
  return [
    count(state.agents.size, "agent"),
    count(state.messages.all.length, "message"),
    count(state.steps.retries, "retry", "retries"),
    count(state.deadLetters.length, "dead letter"),
    cost(state),
  ].filter((part) => part !== "" && !part.startsWith("0 "));
}

/** A number and its noun. */
export function count(number: number, noun: string, plural: string = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}

/** The running time of a run that goes on, up to its last event. */
export function runningTime(state: RunState): string {
  return formatDuration(runningMsAt(state, state.lastAt));
}

function cost({ usage }: RunState): string {
  if (usage.costUsd !== undefined) return `$${usage.costUsd.toFixed(2)}`;
  const isUsed = usage.inputTokens !== undefined || usage.outputTokens !== undefined;
  return isUsed ? "cost unknown" : "";
}

function failureOf(outcome: Outcome, reason: string): string {
  return reason === "" || reason === outcome ? outcome : `${outcome}: ${reason}`;
}
