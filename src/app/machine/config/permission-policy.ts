import { type PermissionRules, toPermissionRules } from "../../../agents/permission-rules.ts";
import type { PermissionTimeout } from "../../../agents/permission-timeout.ts";
import { parseDuration } from "../../../foundation/duration.ts";
import type { ConfigSettings } from "./config-settings.ts";

/** What decides on permission requests beside the modes of agents and people. */
export interface PermissionPolicy {
  readonly permissionRules: PermissionRules;
  readonly permissionTimeout?: PermissionTimeout;
}

/** The policy that a configuration says. */
export function permissionPolicy({ permissions = {} }: ConfigSettings): PermissionPolicy {
  const { timeout, onTimeout = "deny" } = permissions;
  const permissionRules = toPermissionRules(permissions);
  if (timeout === undefined) return { permissionRules };
  const decision = onTimeout === "allow" ? "allowed" : "denied";
  return { permissionRules, permissionTimeout: { afterMs: parseDuration(timeout), decision } };
}
