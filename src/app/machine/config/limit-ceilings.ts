import type { ResourceLimits } from "../../../contracts/host.ts";
import { PARSE_ONCE } from "../../../foundation/parse-once.ts";
import { LIMIT_NAMES } from "../../../host/resource-limits.ts";
import { resolveLimits } from "../../../workflows/resolve/resolve-limits.ts";
import {
  type AgentLimitsEntry,
  agentLimitsSchema,
} from "../../../workflows/schema/agent-limits-schema.ts";
import type { ConfigValue } from "./config.ts";

/**
 * What the user's own configuration says of `limits.agent`: no configuration of a project and no agent gets more. What
 * it leaves out has a default, and that is no ceiling.
 */
export function limitCeilings(ofUser: readonly ConfigValue[]): Partial<ResourceLimits> {
  return limitsIn(ofUser);
}

/** Whether a value of a project's configuration would let agents take more than the user's own says. */
export function isAboveCeiling(value: ConfigValue, ceilings: Partial<ResourceLimits>): boolean {
  const asked = limitsIn([value]);
  return LIMIT_NAMES.some((name) => (asked[name] ?? 0) > (ceilings[name] ?? Infinity));
}

function limitsIn(values: readonly ConfigValue[]): Partial<ResourceLimits> {
  const entries = values
    .filter(({ path: [top, kind] }) => top === "limits" && kind === "agent")
    .map(({ path, value }) => [path[2], value]);
  // Most have none, and every start reads the configuration.
  if (entries.length === 0) return {};
  const entry: AgentLimitsEntry = agentLimitsSchema.parse(Object.fromEntries(entries), PARSE_ONCE);
  return resolveLimits(entry);
}
