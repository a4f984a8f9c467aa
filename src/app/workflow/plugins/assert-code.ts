import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import { builtInStepTypes } from "../../../programs/steps/registry.ts";
import type { WorkflowCode } from "../code/workflow-code.ts";
import { shapeOf } from "../shapes/registry.ts";
import type { RunRecipe } from "../shapes/run-recipe.ts";
import { codeMissing } from "./errors.ts";

/** Raises WORKFLOW_CODE_MISSING unless all code is here that a run was started with. */
export async function assertCode(
  run: string,
  { definition, guards: names = [] }: Pick<RunRecipe, "definition" | "guards">,
  code: WorkflowCode,
): Promise<void> {
  const types = new Set<string>([...builtInStepTypes, ...code.stepTypes].map(({ name }) => name));
  const known = new Set(code.guards.map(({ name }) => name));
  const used = await typesIn(definition);
  const stepTypes = used.filter((name) => !types.has(name));
  const guards = names.filter((name) => !known.has(name));
  if (stepTypes.length + guards.length > 0) throw codeMissing({ run, stepTypes, guards });
}

/** Types of steps, nested ones and those of child workflows included, each once. */
export async function typesIn(definition: WorkflowDefinition): Promise<readonly string[]> {
  const shape = await shapeOf(definition);
  const children = Object.values(shape.children?.(definition) ?? {});
  const ofChildren = await Promise.all(children.map(typesIn));
  return [...new Set([...(shape.stepTypes?.(definition) ?? []), ...ofChildren.flat()])];
}
