import type { ChildKind } from "../../../agents/collab/child-spec.ts";
import type { ConfigSettings } from "../config/config-settings.ts";

/** What the configuration says of roles. */
export type Roles = NonNullable<ConfigSettings["roles"]>;

/** The role of agents for which none is asked. */
export const DEFAULT_ROLE = "worker";
/** The role of whoever leads agents that it spawns. */
export const ORCHESTRATOR = "orchestrator";

const WORKER = [
  "You work for another agent, which reads nothing of your work but the last message of your turn.",
  "Say there what you have found or done, whole and on its own, and what is left open.",
].join(" ");

/** What agents are like that nobody describes: like those that ask for them (COL-5). */
const BUILT_IN: { readonly [role: string]: ChildKind } = {
  default: {},
  [ORCHESTRATOR]: {},
  [DEFAULT_ROLE]: { instructions: WORKER },
};

/** A role: what the configuration says of it, over what it is anyway; undefined when neither knows it. */
export function roleOf(roles: Roles, name: string): ChildKind | undefined {
  const builtIn = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
  const written = Object.hasOwn(roles, name) ? roles[name] : undefined;
  if (builtIn === undefined && written === undefined) return undefined;
  return { ...builtIn, ...written };
}

/** Names of all roles. */
export function roleNames(roles: Roles): readonly string[] {
  return [...new Set([...Object.keys(BUILT_IN), ...Object.keys(roles)])];
}
