import type { AgentSpec, AgentStatus, TurnRights } from "../../contracts/agent.ts";
import type { AgentState, TurnState } from "./agent-state.ts";
import type { Mailbox } from "./message-state.ts";
import type { RunState } from "./run-state.ts";

/** The form in which ids of agents are compared. */
export function agentKey(id: string): string {
  return id.toLowerCase();
}

/** The agent with this id, in any case of letters. */
export function findAgent(state: RunState, id: string): AgentState | undefined {
  const exact = state.agents.get(id);
  if (exact !== undefined) return exact;
  const declared = state.agentIds.get(agentKey(id));
  return declared === undefined ? undefined : state.agents.get(declared);
}

/** Ids of the agents above one, the nearest first: who spawned it, who spawned that one, and so on. */
export function ancestorsOf(state: RunState, spec: Pick<AgentSpec, "spawnedBy">): string[] {
  const ancestors: string[] = [];
  for (let parent = spec.spawnedBy; parent !== undefined; ) {
    if (ancestors.includes(parent)) break;
    ancestors.push(parent);
    parent = findAgent(state, parent)?.spec.spawnedBy;
  }
  return ancestors;
}

/** What an agent may do to others in a turn: what that turn says, else what it is declared with. */
export function rightsIn({ spec, turns }: AgentState, turn: number): TurnRights {
  return turns.get(turn)?.rights ?? spec;
}

/** The shadows of an agent that still take part. */
export function shadowsOf(state: RunState, agent: string): readonly AgentState[] {
  if (state.shadows.size === 0) return [];
  return (state.shadows.get(agentKey(agent)) ?? []).flatMap((id) => {
    const shadow = state.agents.get(id);
    return shadow === undefined || shadow.status === "exited" ? [] : [shadow];
  });
}

/** What an agent does, for people: whoever has nothing to begin with does not seem to be starting for ever. */
export function shownStatus({ status, activity, turns }: AgentState): AgentStatus {
  const isWaiting = status === "starting" && activity.queuedPrompts === 0 && turns.size === 0;
  return isWaiting ? "idle" : status;
}

/** A running turn. */
export function findTurn(state: RunState, agent: string, turn: number): TurnState | undefined {
  return state.agents.get(agent)?.turns.get(turn);
}

/** The turn that was cut off with the prompt of this operation and starts again with it. */
export function findInterruptedTurn(
  state: RunState,
  op: string,
): { readonly agent: string; readonly turn: number } | undefined {
  const agent = state.operations.open.get(op)?.agent;
  if (agent === undefined) return undefined;
  for (const { turn, items } of state.agents.get(agent)?.interruptedTurns.values() ?? [])
    if (items.some((item) => item.kind === "prompt" && item.op === op)) return { agent, turn };
  return undefined;
}

/** The mailbox of this agent, in any case of letters; undefined until its first message. */
export function findMailbox(state: RunState, agent: string): Mailbox | undefined {
  return state.mailboxes.get(agentKey(agent));
}

/** The agent's ended turns per step path, as backends take them; a copy. */
export function turnsBefore(agent: AgentState): { readonly [step: string]: number } {
  return Object.fromEntries(agent.turnsByStep);
}
