import type { Tool, ToolContext, ToolOffer } from "../contracts/tool.ts";
import type { Json } from "../foundation/json.ts";
import { agentsList } from "./agents-list.ts";
import { approvalRequest } from "./approval-request.ts";
import { channelMentions } from "./channel-mentions.ts";
import { channelPeek } from "./channel-peek.ts";
import { channelRead } from "./channel-read.ts";
import { channelSend } from "./channel-send.ts";
import { closeAgent } from "./close-agent.ts";
import { documentAppend } from "./document-append.ts";
import { documentList } from "./document-list.ts";
import { documentRead } from "./document-read.ts";
import { documentSuggest } from "./document-suggest.ts";
import { documentWrite } from "./document-write.ts";
import { handoffTool } from "./handoff.ts";
import { inboxAck } from "./inbox-ack.ts";
import { listAgents } from "./list-agents.ts";
import { unknownTool } from "./parts/errors.ts";
import { assertOffered, chooseTools } from "./parts/offered-tools.ts";
import { parseInput } from "./parts/parse-input.ts";
import { resourceRead } from "./resource-read.ts";
import { resumeAgent } from "./resume-agent.ts";
import { sendInput } from "./send-input.ts";
import { signal } from "./signal.ts";
import { spawnAgent } from "./spawn-agent.ts";
import { statusSet } from "./status-set.ts";
import { vote } from "./vote.ts";
import { wait } from "./wait.ts";

/** All tools that Troupe offers to agents. A new one is a file and a line here. */
export const builtInTools: readonly Tool[] = [
  channelSend,
  channelRead,
  channelPeek,
  channelMentions,
  documentRead,
  documentWrite,
  documentAppend,
  documentSuggest,
  documentList,
  inboxAck,
  agentsList,
  statusSet,
  signal,
  vote,
  handoffTool,
  resourceRead,
  approvalRequest,
  spawnAgent,
  sendInput,
  wait,
  closeAgent,
  resumeAgent,
  listAgents,
];

/** The tool of this name. Raises AGENT_UNKNOWN_TOOL. */
export function findTool(name: string): Tool {
  const tool = builtInTools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw unknownTool({ tool: name, known: builtInTools.map(nameOf) });
  return tool;
}

/** Names of the tools that an agent is offered. */
export function offeredTools(offer: ToolOffer): readonly string[] {
  return chooseTools(builtInTools, offer).map(nameOf);
}

/**
 * Calls a tool as the agent of the context, if that is offered it and its input fits the schema. Rejects with
 * AGENT_UNKNOWN_TOOL, AGENT_TOOL_NOT_OFFERED, AGENT_TOOL_INPUT_INVALID and what the tool itself raises.
 */
export async function callTool(name: string, input: Json, context: ToolContext): Promise<Json> {
  const tool = findTool(name);
  assertOffered(tool, builtInTools, context.offer);
  return tool.call(parseInput(tool, input), context);
}

function nameOf(tool: Tool): string {
  return tool.name;
}
