import type { DescribedTool, Tool, ToolContext, ToolOffer } from "../contracts/tool.ts";
import type { Json } from "../foundation/json.ts";
import { unknownTool } from "./parts/errors.ts";
import { assertOffered, chooseTools } from "./parts/offered-tools.ts";

/** What is known of a tool before it is called; all else is loaded then. */
export interface ToolEntry extends Pick<Tool, "name" | "needs" | "gives"> {
  load(): Promise<Tool>;
}

/** All tools that Troupe offers to agents. A new one is a file and a line here. */
export const builtInTools: readonly ToolEntry[] = [
  {
    name: "channel_send",
    needs: "channel",
    load: async () => (await import("./channel-send.ts")).channelSend,
  },
  {
    name: "channel_read",
    needs: "channel",
    load: async () => (await import("./channel-read.ts")).channelRead,
  },
  {
    name: "channel_peek",
    needs: "channel",
    load: async () => (await import("./channel-peek.ts")).channelPeek,
  },
  {
    name: "channel_mentions",
    needs: "channel",
    load: async () => (await import("./channel-mentions.ts")).channelMentions,
  },
  {
    name: "document_read",
    needs: "document",
    load: async () => (await import("./document-read.ts")).documentRead,
  },
  {
    name: "document_write",
    needs: "document",
    load: async () => (await import("./document-write.ts")).documentWrite,
  },
  {
    name: "document_append",
    needs: "document",
    load: async () => (await import("./document-append.ts")).documentAppend,
  },
  {
    name: "document_suggest",
    needs: "document",
    load: async () => (await import("./document-suggest.ts")).documentSuggest,
  },
  {
    name: "document_list",
    needs: "document",
    load: async () => (await import("./document-list.ts")).documentList,
  },
  { name: "inbox_ack", load: async () => (await import("./inbox-ack.ts")).inboxAck },
  { name: "agents_list", load: async () => (await import("./agents-list.ts")).agentsList },
  { name: "status_set", load: async () => (await import("./status-set.ts")).statusSet },
  { name: "signal", load: async () => (await import("./signal.ts")).signal },
  { name: "vote", gives: "vote", load: async () => (await import("./vote.ts")).vote },
  { name: "bid", gives: "bid", load: async () => (await import("./bid.ts")).bid },
  {
    name: "handoff",
    gives: "handoff",
    load: async () => (await import("./handoff.ts")).handoffTool,
  },
  {
    name: "deposit",
    needs: "trails",
    load: async () => (await import("./deposit.ts")).deposit,
  },
  {
    name: "trail_read",
    needs: "trails",
    load: async () => (await import("./trail-read.ts")).trailRead,
  },
  {
    name: "reflect",
    needs: "reflection",
    load: async () => (await import("./reflect.ts")).reflect,
  },
  {
    name: "record",
    needs: "trajectory",
    load: async () => (await import("./record.ts")).record,
  },
  { name: "resource_read", load: async () => (await import("./resource-read.ts")).resourceRead },
  {
    name: "approval_request",
    load: async () => (await import("./approval-request.ts")).approvalRequest,
  },
  { name: "Task", needs: "collab", load: async () => (await import("./task.ts")).task },
  {
    name: "spawn_agent",
    needs: "collab",
    load: async () => (await import("./spawn-agent.ts")).spawnAgent,
  },
  {
    name: "send_input",
    needs: "collab",
    load: async () => (await import("./send-input.ts")).sendInput,
  },
  { name: "wait", needs: "collab", load: async () => (await import("./wait.ts")).wait },
  {
    name: "close_agent",
    needs: "collab",
    load: async () => (await import("./close-agent.ts")).closeAgent,
  },
  {
    name: "resume_agent",
    needs: "collab",
    load: async () => (await import("./resume-agent.ts")).resumeAgent,
  },
  {
    name: "list_agents",
    needs: "collab",
    load: async () => (await import("./list-agents.ts")).listAgents,
  },
  {
    name: "task_list",
    needs: "program",
    load: async () => (await import("./task-list.ts")).taskList,
  },
  {
    name: "task_create",
    needs: "program",
    load: async () => (await import("./task-create.ts")).taskCreate,
  },
  {
    name: "task_update",
    needs: "program",
    load: async () => (await import("./task-update.ts")).taskUpdate,
  },
  {
    name: "task_claim",
    needs: "program",
    load: async () => (await import("./task-claim.ts")).taskClaim,
  },
  {
    name: "team_exit",
    needs: "program",
    load: async () => (await import("./team-exit.ts")).teamExit,
  },
];

/** The tool of this name. Raises AGENT_UNKNOWN_TOOL. */
export function findTool(name: string): ToolEntry {
  const tool = builtInTools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw unknownTool({ tool: name, known: builtInTools.map(nameOf) });
  return tool;
}

/** Names of the tools that an agent is offered. */
export function offeredTools(offer: ToolOffer): readonly string[] {
  return chooseTools(builtInTools, offer).map(nameOf);
}

/** Tools whole, in the order of the list; all when no names are given. */
export function loadTools(names?: readonly string[]): Promise<readonly Tool[]> {
  const wanted = builtInTools.filter(({ name }) => names === undefined || names.includes(name));
  return Promise.all(wanted.map((entry) => entry.load()));
}

/** Tells of the tools with these names. */
export async function describeTools(names: readonly string[]): Promise<readonly DescribedTool[]> {
  const [tools, { describeTool }] = await Promise.all([
    loadTools(names),
    import("./parts/describe-tool.ts"),
  ]);
  return tools.map(describeTool);
}

/**
 * Calls a tool as the agent of the context, if that is offered it and its input fits the schema. Rejects with
 * AGENT_UNKNOWN_TOOL, AGENT_TOOL_NOT_OFFERED, AGENT_TOOL_INPUT_INVALID and what the tool itself raises.
 */
export async function callTool(name: string, input: Json, context: ToolContext): Promise<Json> {
  const entry = findTool(name);
  assertOffered(entry, builtInTools, context.offer);
  const [tool, { parseInput }] = await Promise.all([
    entry.load(),
    import("./parts/parse-input.ts"),
  ]);
  return tool.call(parseInput(tool, input), context);
}

function nameOf(tool: ToolEntry): string {
  return tool.name;
}
