import { builtInTypes, findBuiltInType } from "../../../agents/collab/built-in-types.ts";
import type { ChildKind } from "../../../agents/collab/child-spec.ts";
import { collabKindUnknown } from "../../../agents/collab/errors.ts";
import { present } from "../../../foundation/present.ts";
import type { AgentType, AgentTypeFinder } from "../../../workflows/resolve/agent-type.ts";
import { DEFAULT_ROLE, type Roles, roleNames, roleOf } from "../../machine/effective/roles.ts";

/** The kind of agent that is asked for. Raises COLLAB_KIND_UNKNOWN, AGENT_TYPE_* errors. */
export function findChildKind(
  { role = DEFAULT_ROLE, type }: { readonly role?: string; readonly type?: string },
  types: AgentTypeFinder,
  roles: Roles,
): ChildKind {
  return type === undefined ? findRole(role, roles) : findType(type, types);
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
      effort: type.effort,
      maxOutputTokens: type.maxOutputTokens,
    }),
  };
}
