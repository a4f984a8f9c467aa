import type { AgentSpec } from "../../../contracts/agent.ts";
import type { ShadowTrigger } from "../../../contracts/shadow.ts";
import { agentKey } from "../../../fold/state/agent-lookup.ts";
import { MAX_ID_CHARS } from "../../../foundation/ids.ts";

/** Which agents get a shadow, and what their shadows hear and speak on. */
export interface ShadowPlan {
  /** Ids of the agents to watch. Defaults to all. */
  readonly of?: readonly string[];
  /** Copies of what lands in the agent's inbox. Defaults to true. */
  readonly receiveIncoming?: boolean;
  /** Copies of what the agent writes. Defaults to true. */
  readonly receiveOutgoing?: boolean;
  /** Defaults to `ALL_MESSAGES`. */
  readonly speakOn?: readonly ShadowTrigger[];
}

const SUFFIX = "-Shadow";

/** The id that the shadow of an agent has. */
export function shadowIdOf(agent: string): string {
  return `${agent.slice(0, MAX_ID_CHARS - SUFFIX.length)}${SUFFIX}`;
}

/** The shadows of a plan, each where its agent works; `make` says what is behind one. */
export function bindShadows(
  agents: readonly AgentSpec[],
  plan: ShadowPlan,
  make: (id: string) => Pick<AgentSpec, "backend"> & Partial<AgentSpec>,
): readonly AgentSpec[] {
  const { of, receiveIncoming = true, receiveOutgoing = true } = plan;
  const speakOn = plan.speakOn ?? (["ALL_MESSAGES"] as const);
  const wanted = of === undefined ? undefined : new Set(of.map(agentKey));
  const watched = agents.filter(({ id }) => wanted?.has(agentKey(id)) !== false);
  return watched.map(({ id: agent, cwd }) => {
    const id = shadowIdOf(agent);
    const made = make(id);
    return {
      ...(cwd === undefined ? {} : { cwd }),
      ...made,
      id,
      // Whoever only watches must not make anybody wait for a permission.
      permissionMode: made.permissionMode ?? "dont-ask",
      role: "reviewer",
      session: "keep",
      demandsSignal: false,
      shadow: { of: agent, receiveIncoming, receiveOutgoing, speakOn: [...new Set(speakOn)] },
    };
  });
}
