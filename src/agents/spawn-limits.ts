import type { AgentSpec } from "../contracts/agent.ts";
import { ancestorsOf, findAgent } from "../fold/state/agent-lookup.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { agentExists, limitDepth, limitRunning, limitTotal } from "./errors.ts";

/** An agent that spawns without end would fill the machine, and each may cost money. */
const DEFAULT_MAX_SPAWNED = 16;

/** How many agents a run may have. Absent members do not limit. */
export interface SpawnLimits {
  /** Live ones at a time. Absent: 16 that agents have spawned, and of others as many as a workflow names. */
  readonly maxAgents?: number;
  /** In the whole life of the run. */
  readonly maxTotal?: number;
  /** Levels of agents that agents have spawned. Defaults to 1. */
  readonly maxDepth?: number;
}

/** The limits of a run with the agents that live in other runs of its tree, as people know them. */
export interface SpawnBounds extends SpawnLimits {
  readonly others?: readonly string[];
}

/**
 * Whether an agent may get a slot; the slot is taken by `agent-spawned` and freed by `agent-exited`.
 * Raises AGENT_EXISTS, AGENT_LIMIT_RUNNING, AGENT_LIMIT_TOTAL, AGENT_LIMIT_DEPTH.
 */
export function assertMaySpawn(state: RunState, spec: AgentSpec, limits: SpawnBounds): void {
  const existing = findAgent(state, spec.id);
  if (existing !== undefined && existing.status !== "exited") throw agentExists({ agent: spec.id });
  const { maxAgents, maxTotal, maxDepth = 1, others = [] } = limits;
  const isNew = existing === undefined;
  if (maxTotal !== undefined && isNew && state.agents.size >= maxTotal) {
    throw limitTotal({ agent: spec.id, limit: maxTotal, holders: [...state.agents.keys()] });
  }
  assertRunning(state, spec, { maxAgents, others });
  const ancestors = ancestorsOf(state, spec);
  if (ancestors.length > maxDepth)
    throw limitDepth({ agent: spec.id, limit: maxDepth, holders: ancestors });
}

function assertRunning(
  state: RunState,
  spec: AgentSpec,
  {
    maxAgents,
    others,
  }: { readonly maxAgents: number | undefined; readonly others: readonly string[] },
): void {
  if (maxAgents === undefined && spec.spawnedBy === undefined) return;
  const live = [...state.agents.values()].filter((agent) => agent.status !== "exited");
  if (maxAgents !== undefined)
    assertRoom(spec, [...live.map(({ id }) => id), ...others], maxAgents);
  else {
    const spawned = live.filter((agent) => agent.spec.spawnedBy !== undefined);
    assertRoom(
      spec,
      spawned.map(({ id }) => id),
      DEFAULT_MAX_SPAWNED,
    );
  }
}

function assertRoom({ id: agent }: AgentSpec, holders: readonly string[], limit: number): void {
  if (holders.length >= limit) throw limitRunning({ agent, limit, holders });
}
