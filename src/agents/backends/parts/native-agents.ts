import type { AgentSpec } from "../../../contracts/agent.ts";

/**
 * Whether the own agents and tasks of an agent's program are switched off (COL-16): they stand in no journal, and
 * their names are those of Troupe's tools or near them.
 */
export function hidesNativeAgents({ spawns, tools, nativeAgents }: AgentSpec): boolean {
  const isOffered = spawns === true || tools?.includes("spawn_agent") === true;
  return isOffered && nativeAgents !== "allow";
}
