import { agentKey, ancestorsOf, findAgent } from "../../fold/state/agent-lookup.ts";
import type { AgentState } from "../../fold/state/agent-state.ts";
import type { RunState } from "../../fold/state/run-state.ts";

/** Whether an agent was spawned by another one, or by one below that. */
export function isDescendant(state: RunState, { spec }: AgentState, above: string): boolean {
  return spec.spawnedBy !== undefined && ancestorsOf(state, spec).includes(above);
}

/** The agent of this name, if the caller reaches it (COL-10); of any other nothing is told. */
export function findReached(state: RunState, caller: string, id: string): AgentState | undefined {
  const agent = findAgent(state, id);
  return agent !== undefined && isReached(state, caller, agent) ? agent : undefined;
}

/** All that the caller reaches, in the order of spawning. */
export function allReached(state: RunState, caller: string): readonly AgentState[] {
  return [...state.agents.values()].filter((agent) => isReached(state, caller, agent));
}

/** Those that the caller has spawned itself. */
export function childrenOf(state: RunState, caller: string): readonly AgentState[] {
  return [...state.agents.values()].filter(({ spec }) => spec.spawnedBy === caller);
}

/** The live agents of a part of the tree: one and all below it. */
export function liveSubtree(state: RunState, top: AgentState): readonly AgentState[] {
  return [...state.agents.values()].filter(
    (agent) =>
      agent.status !== "exited" && (agent.id === top.id || isDescendant(state, agent, top.id)),
  );
}

function isReached(state: RunState, caller: string, agent: AgentState): boolean {
  if (agent.id === caller) return false;
  const { reportsTo, shadow } = agent.spec;
  const reports = reportsTo !== undefined && agentKey(reportsTo) === agentKey(caller);
  return (reports && shadow === undefined) || isDescendant(state, agent, caller);
}
