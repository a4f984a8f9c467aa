import { builtInTypes, findBuiltInType } from "../../../agents/collab/built-in-types.ts";
import type { ChildKind } from "../../../agents/collab/child-spec.ts";
import { collabKindUnknown } from "../../../agents/collab/errors.ts";
import { present } from "../../../foundation/present.ts";
import type { AgentType, AgentTypeFinder } from "../../../workflows/resolve/agent-type.ts";
import type { ConfigSettings } from "../config/config-settings.ts";

/** What the configuration says of roles. */
export type Roles = NonNullable<ConfigSettings["roles"]>;

/** The role of agents for which none is asked. */
const DEFAULT_ROLE = "worker";
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

/** The kind of agent that is asked for. Raises COLLAB_KIND_UNKNOWN, AGENT_TYPE_* errors. */
export function findChildKind(
  { role = DEFAULT_ROLE, type }: { readonly role?: string; readonly type?: string },
  types: AgentTypeFinder,
  roles: Roles,
): ChildKind {
  return type === undefined ? findRole(role, roles) : findType(type, types);
}

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

/** Each key of the configuration is meant before the one that every project has. */
function findRole(name: string, roles: Roles): ChildKind {
  const kind = roleOf(roles, name);
  if (kind !== undefined) return kind;
  throw collabKindUnknown({ what: "role", name, known: roleNames(roles) });
}

/** Whoever describes a type means it in place of the one that every project has. */
function findType(name: string, types: AgentTypeFinder): ChildKind {
  const found = types.find(name);
  if (found === undefined) {
    const builtIn = findBuiltInType(name);
    if (builtIn !== undefined) return builtIn;
    const known = [...new Set([...types.names(), ...Object.keys(builtInTypes)])];
    throw collabKindUnknown({ what: "type", name, known });
  }
  if (found.status === "refused") throw found.error;
  return toKind(found.type);
}

function toKind(type: AgentType): ChildKind {
  const { prompt, model, permissionMode, isolation, limits, tools, deniedTools } = type;
  return {
    instructions: prompt.trim(),
    ...present({
      model,
      permissionMode,
      tools,
      disallowedTools: deniedTools,
      isolation,
      limits,
      maxTurns: type.maxTurns,
      isBackground: type.isBackground,
      mcpServers: type.mcpServers,
      effort: type.effort,
      maxOutputTokens: type.maxOutputTokens,
    }),
  };
}
