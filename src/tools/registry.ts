import type { z } from "zod";
import type { Tool, ToolContext } from "../contracts/tool.ts";
import type { Json } from "../foundation/json.ts";
import { didYouMean } from "../foundation/near-names.ts";
import { agentsList } from "./agents-list.ts";
import { channelPeek } from "./channel-peek.ts";
import { channelRead } from "./channel-read.ts";
import { channelSend } from "./channel-send.ts";
import { documentAppend } from "./document-append.ts";
import { documentRead } from "./document-read.ts";
import { documentWrite } from "./document-write.ts";
import { toolInputInvalid, unknownTool } from "./errors.ts";

/** All tools that Troupe offers to agents. A new one is a file and a line here. */
export const builtInTools: readonly Tool[] = [
  channelSend,
  channelRead,
  channelPeek,
  documentRead,
  documentWrite,
  documentAppend,
  agentsList,
];

/** The tool of this name. Raises AGENT_UNKNOWN_TOOL. */
export function findTool(name: string): Tool {
  const tool = builtInTools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw unknownTool({ tool: name, known: builtInTools.map(nameOf) });
  return tool;
}

/**
 * Checks the input against the tool's schema and calls it as the agent of the context. Rejects with
 * AGENT_UNKNOWN_TOOL, AGENT_TOOL_INPUT_INVALID and what the tool itself raises.
 */
export async function callTool(name: string, input: Json, context: ToolContext): Promise<Json> {
  const tool = findTool(name);
  const parsed = tool.input.safeParse(input);
  if (parsed.success) return tool.call(parsed.data, context);
  const { field, problem } = describeIssue(tool, parsed.error);
  throw toolInputInvalid({ tool: name, field, problem });
}

function describeIssue(tool: Tool, error: z.ZodError): { field: string; problem: string } {
  // A misspelt field explains a missing one.
  const misspelt = error.issues.find((candidate) => candidate.code === "unrecognized_keys");
  const issue = misspelt ?? error.issues[0];
  if (issue === undefined) return { field: "", problem: "invalid input" };
  const field = issue.path.map(String).join(".");
  if (issue.code !== "unrecognized_keys")
    return { field, problem: issue.message.replace(/^Invalid input: /, "") };
  const [key = ""] = issue.keys;
  const hint = didYouMean(key, fieldsOf(tool), "fields") ?? "it takes no fields";
  return { field: key, problem: `unknown field; ${hint}` };
}

function fieldsOf(tool: Tool): readonly string[] {
  return "shape" in tool.input && typeof tool.input.shape === "object" && tool.input.shape !== null
    ? Object.keys(tool.input.shape)
    : [];
}

function nameOf(tool: Tool): string {
  return tool.name;
}
