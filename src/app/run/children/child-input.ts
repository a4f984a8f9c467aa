import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import { isRecord, type Json, toJson } from "../../../foundation/json.ts";
import { checkInput } from "../../workflow/check-input.ts";
import { shapeOf } from "../../workflow/shapes/registry.ts";
import { childInputInvalid } from "../owner/errors.ts";
import type { NewRunOptions } from "../owner/new-run.ts";

/**
 * What a child is started with: the input of a step workflow as it is; to others a text is the task and an object
 * holds the params. Raises WORKFLOW_CHILD_INPUT and what keeps a run with that input from starting.
 */
export async function childInput(
  definition: WorkflowDefinition,
  input: Json,
): Promise<Pick<NewRunOptions, "task" | "params" | "input">> {
  const { takesInput } = await shapeOf(definition);
  const given = takesInput ? { input, params: {} } : toGiven(definition.name, input);
  const { params, errors } = await checkInput(definition, given);
  const [error] = errors;
  if (error !== undefined) throw error;
  return { ...given, params };
}

function toGiven(
  workflow: string,
  input: Json,
): { readonly task?: string; readonly params: { readonly [name: string]: Json } } {
  if (input === null) return { params: {} };
  if (typeof input === "string") return { task: input, params: {} };
  if (!isRecord(input)) {
    const kind = Array.isArray(input) ? "a list" : `a ${typeof input}`;
    throw childInputInvalid({ workflow, kind });
  }
  const params = Object.entries(input).map(([name, value]) => [name, toJson(value, name)] as const);
  return { params: Object.fromEntries(params) };
}
