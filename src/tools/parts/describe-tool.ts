import { z } from "zod";
import type { DescribedTool, Tool } from "../../contracts/tool.ts";
import { isJsonObject, toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";

const described = new WeakMap<Tool, DescribedTool>();

/** A tool as a model is told of it: with the JSON Schema of what it takes. */
export function describeTool(tool: Tool): DescribedTool {
  // Making a schema takes longer than all else that a session begins with.
  const known = described.get(tool) ?? describe(tool);
  described.set(tool, known);
  return known;
}

function describe({ name, description, annotations, isBeside, input }: Tool): DescribedTool {
  const schema = toJson(z.toJSONSchema(input, { io: "input" }), `the schema of ${name}`);
  const inputSchema = { ...(isJsonObject(schema) ? schema : {}), type: "object" };
  return { name, description, annotations, inputSchema, ...present({ isBeside }) };
}
