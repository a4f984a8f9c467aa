import { z } from "zod";
import type { DescribedTool, Tool } from "../../contracts/tool.ts";
import { isJsonObject, toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";

/** A tool as a model is told of it: with the JSON Schema of what it takes. */
export function describeTool({
  name,
  description,
  annotations,
  isBeside,
  input,
}: Tool): DescribedTool {
  const schema = toJson(z.toJSONSchema(input, { io: "input" }), `the schema of ${name}`);
  const inputSchema = { ...(isJsonObject(schema) ? schema : {}), type: "object" };
  return { name, description, annotations, inputSchema, ...present({ isBeside }) };
}
