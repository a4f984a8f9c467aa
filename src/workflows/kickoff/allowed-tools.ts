import type { AgentType } from "../resolve/agent-type.ts";
import { OWN_TOOLS } from "./own-tools.ts";

/**
 * The tools that an agent type may use; undefined: all. Denied tools are those that the others leave out; without a
 * list of others these are all that are known, Troupe's among them.
 */
export function allowedTools(
  { tools, deniedTools }: Pick<AgentType, "tools" | "deniedTools">,
  troupeTools: readonly string[] = [],
): readonly string[] | undefined {
  if (deniedTools === undefined) return tools;
  const allowed = tools ?? [...OWN_TOOLS, ...troupeTools];
  return allowed.filter((tool) => !deniedTools.includes(tool));
}
