/**
 * Owns how agents came to have nothing to do, and what their calls to spawn, resume and close others came to.
 *
 * C1 A turn whose messages are taken again has not ended anything: its agent goes on.
 * C2 A turn that waits for agents of its own stands still like one that waits for a person.
 * C3 Whoever is given something to do by an agent serves the step that the turn of that one counts for.
 * C4 A subagent ends with its task: its exit is no further ending.
 */

import type { CollabOperation } from "../../contracts/events/collab-events.ts";
import type { EventOf } from "../../contracts/events/event.ts";
import type { Signal } from "../../contracts/signal.ts";
import { closeAsk, openAsk } from "../state/activity.ts";
import { findMailbox, findTurn } from "../state/agent-lookup.ts";
import type { AgentEnding, AgentState, TurnState } from "../state/agent-state.ts";
import type { RunState } from "../state/run-state.ts";
import { startsAgain } from "../state/starts-again.ts";
import type { FoldTable } from "./fold-table.ts";

/** Endings of agents, and calls that concern agents of one's own. */
export const collabTable: FoldTable = {
  "turn-completed": (state, event) => {
    const { seq } = event;
    if (!isRunning(state, event)) return;
    const isTask = state.agents.get(event.agent)?.spec.subagent !== undefined;
    const outcome = isTask && event.stopReason === "max_turns" ? halted(event) : outcomeOf(event);
    end(state, event.agent, { ...outcome, seq });
  },
  "turn-failed": (state, event) => {
    const { error, seq } = event;
    if (!isRunning(state, event) || isTakenAgain(state, event)) return;
    end(state, event.agent, { status: "errored", text: `${error.message} [${error.code}]`, seq });
  },
  "turn-interrupted": (state, event) => {
    if (startsAgain(event.reason) || !isRunning(state, event) || isTakenAgain(state, event)) return;
    end(state, event.agent, { status: "interrupted", text: "", seq: event.seq });
  },
  "message-dead": (state, { agent: id, attempts, seq }) => {
    const agent = state.agents.get(id);
    const isLast = (findMailbox(state, id)?.waking ?? 0) <= 1;
    if (agent === undefined || !isLast || isBusy(agent)) return;
    const text = `what it was told was given up after ${attempts} attempts`;
    end(state, id, { status: "errored", text: agent.ending?.text || text, seq });
  },
  "agent-exited": (state, { agent, reason, error, seq }) => {
    const known = state.agents.get(agent);
    if (known?.spec.subagent !== undefined && known.ending !== undefined) return;
    const why = error === undefined ? reason : `${reason}: ${error.message} [${error.code}]`;
    end(state, agent, { status: "shutdown", text: why, seq });
  },
  "collab-began": (state, { agent, turn, call, operation }) => {
    if (operation === "wait") openAsk(state, { agent, turn, id: call });
  },
  "collab-ended": (state, { agent, turn, call, operation, agents, statuses, error }) => {
    if (operation === "wait") closeAsk(state, { agent, turn, id: call });
    const [first] = agents;
    const status = first === undefined ? undefined : statuses[first];
    if (error !== undefined || first === undefined || status === undefined) return;
    if (GIVING.has(operation)) serve(state, first, findTurn(state, agent, turn));
    if (operation === "spawn" || operation === "resume" || operation === "close")
      state.collabCalls.set(call, { agent: first, status });
  },
};

/** Calls that give an agent something to do. */
const GIVING: ReadonlySet<CollabOperation> = new Set(["spawn", "send", "resume"]);

/** What an agent does for another one is done for the step that this one works at. */
function serve(state: RunState, id: string, turn: TurnState | undefined): void {
  const agent = state.agents.get(id);
  if (agent?.spec.spawnedBy !== undefined) agent.serves = turn?.countedStep ?? agent.serves;
}

function end(state: RunState, id: string, ending: AgentEnding): void {
  const agent = state.agents.get(id);
  if (agent !== undefined) agent.ending = ending;
}

/** What a turn that came to its own end says of its agent: a signal before the reason why it stopped. */
function outcomeOf(event: EventOf<"turn-completed">): Pick<AgentEnding, "status" | "text"> {
  const { signals, stopReason, text } = event;
  const failure = find(signals, "failed") ?? find(signals, "blocked");
  if (failure !== undefined) return { status: "errored", text: failure.value || text };
  const done = find(signals, "done");
  if (done !== undefined || stopReason === "end_turn")
    return { status: "completed", text: text || (done?.value ?? "") };
  if (stopReason === "cancelled") return { status: "interrupted", text };
  return { status: "errored", text: `stopped: ${stopReason}${text === "" ? "" : `\n${text}`}` };
}

/** What a subagent has found out when it may not go on is its result. */
function halted({ text }: EventOf<"turn-completed">): Pick<AgentEnding, "status" | "text"> {
  return {
    status: "completed",
    text: `${text}\n\n(it stopped: it had its most turns)`.trimStart(),
  };
}

function find(signals: readonly Signal[], kind: string): Signal | undefined {
  return signals.findLast((signal) => signal.kind === kind);
}

interface EndedTurn {
  readonly agent: string;
  readonly turn: number;
}

function isRunning(state: RunState, { agent, turn }: EndedTurn): boolean {
  return findTurn(state, agent, turn) !== undefined;
}

/** Whether what the turn had taken is in the inbox still, and waits for the next one. */
function isTakenAgain(state: RunState, { agent, turn }: EndedTurn): boolean {
  const mailbox = findMailbox(state, agent);
  return (mailbox?.takenByTurn.get(turn) ?? []).some((id) => mailbox?.items.has(id) === true);
}

function isBusy({ turns, interruptedTurns, activity }: AgentState): boolean {
  return turns.size > 0 || interruptedTurns.size > 0 || activity.queuedPrompts > 0;
}
