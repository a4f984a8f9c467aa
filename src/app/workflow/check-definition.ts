import type { WorkflowDefinition } from "../../contracts/definition.ts";
import { workflowInvalid } from "../../workflows/errors.ts";
import type { Machine } from "../machine/machine.ts";
import type { OwnCode } from "./code/workflow-code.ts";
import { codeOf, ownCode } from "./plugins/code-of.ts";
import { shapeOf } from "./shapes/registry.ts";

/**
 * Refuses what was written in code and would be refused as a file, before anything starts. Raises WORKFLOW_INVALID, which
 * holds all problems, WORKFLOW_UNKNOWN_PATTERN and what codeOf raises.
 */
export async function assertDefinition(
  machine: Machine,
  definition: WorkflowDefinition,
  own: OwnCode,
): Promise<void> {
  const code = await codeOf(machine, ownCode(own));
  const shape = await shapeOf(definition, code);
  const problems = (await shape.check?.(definition)) ?? [];
  const { name: file } = definition;
  if (problems.length > 0) throw workflowInvalid({ file, problems, isCode: true });
}
