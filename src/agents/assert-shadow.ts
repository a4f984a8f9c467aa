import type { AgentSpec } from "../contracts/agent.ts";
import { agentKey, findAgent } from "../fold/state/agent-lookup.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { shadowInvalid } from "./errors.ts";

/** Whether an agent may watch the one that it names, if it names one. Raises AGENT_SHADOW_INVALID. */
export function assertMayShadow(state: RunState, { id, shadow }: AgentSpec): void {
  if (shadow === undefined) return;
  const refuse = (problem: string) => shadowInvalid({ agent: id, of: shadow.of, problem });
  if (agentKey(shadow.of) === agentKey(id)) throw refuse("which is itself");
  const watched = findAgent(state, shadow.of);
  if (watched === undefined) throw refuse("which takes no part in this run yet");
  if (watched.spec.shadow !== undefined) throw refuse("which is a shadow too");
}
