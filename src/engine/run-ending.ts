import type { RunEnded } from "../contracts/events/run-events.ts";
import { withoutFailure } from "../contracts/failure.ts";
import type { ProgramResult } from "../contracts/ports/program.ts";
import { OUTCOME_EXIT_CODES, type Outcome } from "../contracts/run.ts";
import { findAgent, findMailbox } from "../fold/state/agent-lookup.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { type ErrorReport, toErrorReport } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { messageDropped } from "./errors.ts";

/** How a program came to its end: it returned, or it threw. */
export type ProgramEnd =
  | { readonly status: "returned"; readonly result: ProgramResult }
  | { readonly status: "threw"; readonly error: ErrorReport };

/** What every last event says of its run. */
interface EndParts {
  readonly durationMs: number;
  readonly result: Json;
}

/** Makes them, for a program that returned this, or was cut short. */
export type ToEndParts = (result: ProgramResult | undefined) => EndParts;

/** The last event of a run whose program has ended; a requested cancellation decides whatever it returned. */
export function endOfProgram(state: RunState, end: ProgramEnd, toEndParts: ToEndParts): RunEnded {
  const result = end.status === "returned" ? resultOf(state, end.result) : undefined;
  const parts = { ...toEndParts(result), resumable: false };
  const { cancellation } = state;
  if (cancellation !== undefined) return endWith("cancelled", cancellation.reason, parts);
  if (end.status === "threw")
    return { ...endWith("failed", end.error.message, parts), error: withoutFailure(end.error) };
  const { outcome, reason, error } = result ?? end.result;
  return {
    ...endWith(outcome, reason, parts),
    ...present({ error: error === undefined ? undefined : withoutFailure(error) }),
  };
}

/**
 * The result of a program with the loss of a message between agents (MSG-11): a run in which one was dropped has failed,
 * even if its program completed. A failure that its program reported keeps its reason.
 */
function resultOf(state: RunState, result: ProgramResult): ProgramResult {
  const { outcome, reason } = result;
  const isOpen = outcome === "completed" || (outcome === "failed" && result.error === undefined);
  const [first, ...others] = isOpen ? droppedMessages(state) : [];
  if (first === undefined) return result;
  const error = toErrorReport(messageDropped({ ...first, others: others.length }));
  return {
    ...result,
    outcome: "failed",
    reason: outcome === "failed" ? reason : error.message,
    error,
  };
}

/** A message from one agent to another that its reader will never deal with. */
interface DroppedMessage {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Cause, as the end of a sentence. */
  readonly why: string;
}

/**
 * Returns the messages between agents that were accepted and then lost: given up after too many failed turns, or left
 * unread by an agent that gave up. Messages that are merely unread when their pattern is done are not lost: the signal
 * that ended it covers them. Copies for shadows are not counted either, nor what an agent sent to one that it had
 * spawned: Troupe reports to the spawning agent how that one ended, so that it can ask again.
 */
function droppedMessages(state: RunState): readonly DroppedMessage[] {
  const dead = state.deadLetters
    .filter(({ isCopy, from, agent }) => !isCopy && isBetweenAgents(state, from, agent))
    .map(({ id, from, agent: to, attempts }) => ({
      ...{ id, from, to },
      why: attempts === 0 ? "no turn could be started for it" : `${attempts} turns with it failed`,
    }));
  return [...dead, ...[...state.agents.values()].flatMap((agent) => leftUnread(state, agent))];
}

/** Messages that wait for an agent whose session failed for good. */
function leftUnread(state: RunState, agent: AgentState): readonly DroppedMessage[] {
  const error = agent.exit?.error;
  const items = findMailbox(state, agent.id)?.items;
  if (error === undefined || items === undefined) return [];
  return [...items.values()]
    .filter(({ copy, wakes, from }) => {
      return copy === undefined && wakes && isBetweenAgents(state, from, agent.id);
    })
    .map(({ id, from }) => ({
      id,
      from,
      to: agent.id,
      why: `"${agent.id}" gave up: ${error.message}`,
    }));
}

function isBetweenAgents(state: RunState, from: string, to: string): boolean {
  return state.agents.has(from) && findAgent(state, to)?.spec.spawnedBy !== from;
}

/** The last event of a run that reached its own deadline: its operations stay open for a longer one. */
export function endOfTime(timeoutMs: number, parts: EndParts): RunEnded {
  return endWith("timed-out", `not done within ${timeoutMs} ms of running time`, {
    ...parts,
    resumable: true,
  });
}

/** The last event of a run that reached one of its limits: its operations stay open for a higher one. */
export function endAtLimit(error: ErrorReport, parts: EndParts): RunEnded {
  return { ...endWith("limit-reached", error.message, { ...parts, resumable: true }), error };
}

function endWith(
  outcome: Outcome,
  reason: string,
  parts: EndParts & { readonly resumable: boolean },
): RunEnded {
  return { type: "run-ended", outcome, reason, exitCode: OUTCOME_EXIT_CODES[outcome], ...parts };
}
