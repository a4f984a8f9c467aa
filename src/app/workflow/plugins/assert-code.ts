import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import { builtInPatterns } from "../../../programs/patterns/registry.ts";
import { builtInStepTypes } from "../../../programs/steps/registry.ts";
import type { WorkflowCode } from "../code/workflow-code.ts";
import { shapeOf } from "../shapes/registry.ts";
import type { RunRecipe } from "../shapes/run-recipe.ts";
import type { WorkflowShape } from "../shapes/shape.ts";
import { codeMissing } from "./errors.ts";

/** Raises WORKFLOW_CODE_MISSING unless all code is here that a run was started with. */
export function assertCode(run: string, recipe: RunRecipe, code: WorkflowCode): void {
  const { definition } = recipe;
  const known = {
    stepTypes: [...builtInStepTypes, ...code.stepTypes],
    patterns: [...builtInPatterns, ...code.patterns],
  };
  const missing = {
    stepTypes: without(typesIn(definition), known.stepTypes),
    guards: without(recipe.guards ?? [], code.guards),
    patterns: without(patternsIn(definition), known.patterns),
    backends: without(recipe.backends ?? [], code.backends),
  };
  if (Object.values(missing).some(({ length }) => length > 0))
    throw codeMissing({ run, ...missing });
}

function without(
  names: readonly string[],
  known: readonly { readonly name: string }[],
): readonly string[] {
  const there = new Set(known.map(({ name }) => name));
  return names.filter((name) => !there.has(name));
}

/** Types of steps, nested ones and those of child workflows included, each once. */
export function typesIn(definition: WorkflowDefinition): readonly string[] {
  return namesIn(definition, (shape, one) => shape.stepTypes?.(one));
}

function patternsIn(definition: WorkflowDefinition): readonly string[] {
  return namesIn(definition, (shape, one) => shape.patterns?.(one));
}

/** Names of the backends of one's own that agents of a workflow and its children have. */
export function ownBackendsIn(
  definition: WorkflowDefinition,
  { backends }: Pick<WorkflowCode, "backends">,
): readonly string[] {
  const used = namesIn(definition, (_shape, { agents }) => agents.map(({ backend }) => backend));
  return backends.map(({ name }) => name).filter((name) => used.includes(name));
}

function namesIn(
  definition: WorkflowDefinition,
  find: (shape: WorkflowShape, definition: WorkflowDefinition) => readonly string[] | undefined,
): readonly string[] {
  const shape = shapeOf(definition);
  const children = Object.values(shape.children?.(definition) ?? {});
  const ofChildren = children.flatMap((child) => namesIn(child, find));
  return [...new Set([...(find(shape, definition) ?? []), ...ofChildren])];
}
