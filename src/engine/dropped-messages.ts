import { findAgent, findMailbox } from "../fold/state/agent-lookup.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import type { RunState } from "../fold/state/run-state.ts";

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
export function droppedMessages(state: RunState): readonly DroppedMessage[] {
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
