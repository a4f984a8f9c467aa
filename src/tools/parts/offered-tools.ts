import { isNamedBy, TASK_TOOL } from "../../contracts/agent.ts";
import type { Tool, ToolOffer } from "../../contracts/tool.ts";
import { refusedOfRole } from "../../signals/role-signals.ts";
import { toolNotOffered } from "./errors.ts";

/** What decides whether a tool is offered. */
type OfferedTool = Pick<Tool, "name" | "needs" | "gives">;

/**
 * The tools that an agent is offered. When its `tools` name any of Troupe's, these alone, else all; never
 * those that need a part which the run does not share.
 */
export function chooseTools<Each extends OfferedTool>(
  all: readonly Each[],
  offer: ToolOffer,
): readonly Each[] {
  return all.filter((tool) => refusalOf(tool, all, offer) === undefined);
}

/** Raises AGENT_TOOL_NOT_OFFERED. */
export function assertOffered(
  tool: OfferedTool,
  all: readonly OfferedTool[],
  offer: ToolOffer,
): void {
  const reason = refusalOf(tool, all, offer);
  if (reason === undefined) return;
  const offered = chooseTools(all, offer).map(({ name }) => name);
  throw toolNotOffered({ tool: tool.name, reason, offered });
}

function refusalOf(
  { name, needs, gives }: OfferedTool,
  all: readonly OfferedTool[],
  offer: ToolOffer,
): string | undefined {
  if (isNamedBy(offer.disallowedTools, name)) return "the agent's disallowedTools name it";
  if (needs === "collab" && offer.collab === undefined) return "this agent may not spawn others";
  if (needs === "collab" && offer.collab === "all") return undefined;
  if (needs === "program")
    return offer.asks?.includes(name) === true
      ? undefined
      : "the run answers no such call of this agent";
  if (needs !== undefined && !offer[needs]) return `this run shares no ${needs}`;
  if (gives !== undefined && offer.signals?.includes(gives) !== true)
    return refusedOfRole(gives, { signals: [] }) ?? `no agent of this run gives ${gives}`;
  const { tools } = offer;
  if (tools === undefined || tools.includes(name)) return undefined;
  // Programs have a tool of that name too: it chooses none of Troupe's.
  const isChosen = all.some((tool) => tool.name !== TASK_TOOL && tools.includes(tool.name));
  return isChosen ? "it is not among the tools of this agent" : undefined;
}
