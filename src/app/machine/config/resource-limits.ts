import type { ResourceLimits } from "../../../contracts/host.ts";
import { DEFAULT_RESOURCE_LIMITS } from "../../../host/resource-limits.ts";
import { resolveLimits } from "../../../workflows/resolve/resolve-limits.ts";
import type { AgentLimitsEntry } from "../../../workflows/schema/agent-limits-schema.ts";

/** What programs of agents may take of this machine, with the defaults for what is not configured. */
export function resourceLimits(settings: AgentLimitsEntry = {}): ResourceLimits {
  return { ...DEFAULT_RESOURCE_LIMITS, ...resolveLimits(settings) };
}
