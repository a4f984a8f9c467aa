import { toPermissionRules } from "../../../agents/permission-rules.ts";
import type { PermissionPolicy } from "../../../agents/session-ports.ts";
import { parseDuration } from "../../../foundation/duration.ts";
import type { ConfigSettings } from "./config-settings.ts";

/** The policy that a configuration says. */
export function permissionPolicy({ permissions = {} }: ConfigSettings): PermissionPolicy {
  const { timeout, onTimeout = "deny" } = permissions;
  const rules = toPermissionRules(permissions);
  if (timeout === undefined) return { rules, timeout };
  const decision = onTimeout === "allow" ? "allowed" : "denied";
  return { rules, timeout: { afterMs: parseDuration(timeout), decision } };
}
