import type { Tool as ToolDescription } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Tool } from "../contracts/tool.ts";
import { isRecord, toJson } from "../foundation/json.ts";
import { builtInTools } from "../tools/registry.ts";

/** The tools of these names as an MCP client sees them, in the order of the registry. */
export function describeTools(names: readonly string[]): readonly ToolDescription[] {
  const wanted = new Set(names);
  return builtInTools.filter(({ name }) => wanted.has(name)).map(toDescription);
}

function toDescription(tool: Tool): ToolDescription {
  const { name, title, description, annotations } = tool;
  return { name, title, description, inputSchema: toInputSchema(tool), annotations };
}

function toInputSchema({ name, input }: Tool): ToolDescription["inputSchema"] {
  const schema = toJson(z.toJSONSchema(input, { io: "input" }), `the schema of ${name}`);
  return isRecord(schema) ? { ...schema, type: "object" } : { type: "object" };
}
