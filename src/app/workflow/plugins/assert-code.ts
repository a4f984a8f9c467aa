import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import type { FlowStep } from "../../../contracts/flow-step.ts";
import { builtInStepTypes } from "../../../programs/steps/registry.ts";
import type { WorkflowCode } from "../code/workflow-code.ts";
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
  if (definition.shape !== "steps") return [];
  const inside = (steps: readonly FlowStep[]): readonly string[] =>
    steps.flatMap((step) => [step.type, ...inside(step.steps)]);
  const ofChildren = Object.values(definition.workflows).flatMap(typesIn);
  return [...new Set([...inside(definition.steps), ...ofChildren])];
}
