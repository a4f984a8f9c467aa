import type { AgentSpec } from "../../contracts/agent.ts";
import type { AgentBackend } from "../../contracts/backend.ts";

/** How long an agent of a model may show no sign of life where its workflow says nothing. */
const IDLE_TIMEOUT_MS = 600_000;

/**
 * How long turns of an agent may show no sign of life; undefined when nobody looks after them. Programs,
 * functions and people may be silent as long as they like.
 */
export function idleTimeoutOf(spec: AgentSpec, backend: AgentBackend): number | undefined {
  const asksModel = backend.account !== undefined || backend.signIn !== undefined;
  return spec.idleTimeoutMs ?? (asksModel ? IDLE_TIMEOUT_MS : undefined);
}
