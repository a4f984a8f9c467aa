import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import { builtInStepTypes } from "../../../programs/steps/registry.ts";
import type { WorkflowCode } from "../code/workflow-code.ts";
import { shapeOf } from "../shapes/registry.ts";
import type { RunRecipe } from "../shapes/run-recipe.ts";
import { codeMissing } from "./errors.ts";

/** Raises WORKFLOW_CODE_MISSING unless all code is here that a run was started with. */
export function assertCode(
  run: string,
  { definition, guards: names = [] }: Pick<RunRecipe, "definition" | "guards">,
  code: WorkflowCode,
): void {
  const types = new Set([...builtInStepTypes, ...code.stepTypes].map(({ name }) => name));
  const known = new Set(code.guards.map(({ name }) => name));
  const stepTypes = typesIn(definition).filter((name) => !types.has(name));
  const guards = names.filter((name) => !known.has(name));
  if (stepTypes.length + guards.length > 0) throw codeMissing({ run, stepTypes, guards });
}

/** Types of steps, nested ones and those of child workflows included, each once. */
export function typesIn(definition: WorkflowDefinition): readonly string[] {
  const shape = shapeOf(definition);
  const ofChildren = Object.values(shape.children?.(definition) ?? {}).flatMap(typesIn);
  return [...new Set([...(shape.stepTypes?.(definition) ?? []), ...ofChildren])];
}
