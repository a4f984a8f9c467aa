import type { WaitBounds } from "../../../agents/collab/wait-until.ts";
import { toPermissionRules } from "../../../agents/permission-rules.ts";
import type { PermissionPolicy } from "../../../agents/session-ports.ts";
import type { ResourceLimits } from "../../../contracts/host.ts";
import { parseDuration } from "../../../foundation/duration.ts";
import { DEFAULT_RESOURCE_LIMITS } from "../../../host/resource-limits.ts";
import { resolveLimits } from "../../../workflows/resolve/resolve-limits.ts";
import type { AgentLimitsEntry } from "../../../workflows/schema/agent-limits-schema.ts";
import type { CollabSettings, ConfigSettings } from "./config-settings.ts";

/** The policy that a configuration says. */
export function permissionPolicy({ permissions = {} }: ConfigSettings): PermissionPolicy {
  const { timeout, onTimeout = "deny" } = permissions;
  const rules = toPermissionRules(permissions);
  if (timeout === undefined) return { rules, timeout };
  const decision = onTimeout === "allow" ? "allowed" : "denied";
  return { rules, timeout: { afterMs: parseDuration(timeout), decision } };
}

/** How long calls wait where no file says anything. */
export const DEFAULT_WAITS = {
  defaultWaitTimeout: "5m",
  maxWaitTimeout: "1h",
} as const satisfies CollabSettings;

/** The bounds on waiting that a configuration says. */
export function waitBounds({ collab }: ConfigSettings): WaitBounds {
  const { defaultWaitTimeout, maxWaitTimeout } = { ...DEFAULT_WAITS, ...collab };
  return { defaultMs: parseDuration(defaultWaitTimeout), maxMs: parseDuration(maxWaitTimeout) };
}

/** What programs of agents may take of this machine, with the defaults for what is not configured. */
export function resourceLimits(settings: AgentLimitsEntry = {}): ResourceLimits {
  return { ...DEFAULT_RESOURCE_LIMITS, ...resolveLimits(settings) };
}
