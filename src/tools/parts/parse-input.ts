import type { z } from "zod";
import type { Tool } from "../../contracts/tool.ts";
import type { Json } from "../../foundation/json.ts";
import { didYouMean } from "../../foundation/near-names.ts";
import { toolInputInvalid } from "./errors.ts";

/** The input of a tool by its schema. Raises AGENT_TOOL_INPUT_INVALID with the first field that is wrong. */
export function parseInput(tool: Tool, input: Json): unknown {
  const parsed = tool.input.safeParse(input);
  if (parsed.success) return parsed.data;
  const { field, problem } = describeIssue(tool, parsed.error);
  throw toolInputInvalid({ tool: tool.name, field, problem });
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
