import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import type { PatternFunctions } from "../../../contracts/pattern-functions.ts";
import type { Program } from "../../../contracts/ports/program.ts";
import { workflowProgramNotFound } from "../../../engine/errors.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { builtInPatterns } from "../../../programs/patterns/registry.ts";
import { builtInStepTypes } from "../../../programs/steps/registry.ts";
import type { WorkflowCode } from "../code/workflow-code.ts";
import { shapeOf } from "../shapes/registry.ts";
import type { RunRecipe } from "../shapes/run-recipe.ts";
import type { WorkflowShape } from "../shapes/shape.ts";
import { codeMissing } from "./errors.ts";

/** Raises WORKFLOW_CODE_MISSING unless all code is here that a run was started with. */
export async function assertCode(
  run: string,
  recipe: Pick<RunRecipe, "definition" | "guards" | "backends">,
  { functions = {}, ...code }: WorkflowCode & { readonly functions?: PatternFunctions | undefined },
): Promise<void> {
  const { definition } = recipe;
  const asked = definition.shape === "pattern" ? (definition.functions ?? []) : [];
  const missing = {
    stepTypes: without(await typesIn(definition), [...builtInStepTypes, ...code.stepTypes]),
    guards: without(recipe.guards ?? [], code.guards),
    patterns: without(await patternsIn(definition), [...builtInPatterns, ...code.patterns]),
    backends: without(recipe.backends ?? [], code.backends),
    routes: without(await testsIn(definition), code.routes),
    patternFunctions: asked.filter((name) => functions[name] === undefined),
  };
  if (Object.values(missing).some(({ length }) => length > 0))
    throw codeMissing({ run, ...missing });
}

/**
 * The program that the journal of a run names. Raises WORKFLOW_CODE_MISSING where it is a pattern of one's own that is
 * not here, ENGINE_PROGRAM_NOT_FOUND.
 */
export async function programOf(
  { id: run, program }: Pick<RunState["run"], "id" | "program">,
  definition: WorkflowDefinition,
  code: WorkflowCode,
): Promise<Program<WorkflowDefinition>> {
  const shape = await shapeOf(definition, code);
  const found = await shape.programNamed(program, code);
  if (found !== undefined) return found;
  const named = shape.patterns?.(definition) ?? [];
  const patterns = without(named, [...builtInPatterns, ...code.patterns]);
  if (patterns.length > 0) throw codeMissing({ run, patterns });
  throw workflowProgramNotFound({ run, program });
}

function without(
  names: readonly string[],
  known: readonly { readonly name: string }[],
): readonly string[] {
  const there = new Set(known.map(({ name }) => name));
  return names.filter((name) => !there.has(name));
}

/** Types of steps, nested ones and those of child workflows included, each once. */
export function typesIn(definition: WorkflowDefinition): Promise<readonly string[]> {
  return namesIn(definition, (shape, one) => shape.stepTypes?.(one));
}

function patternsIn(definition: WorkflowDefinition): Promise<readonly string[]> {
  return namesIn(definition, (shape, one) => shape.patterns?.(one));
}

async function testsIn(definition: WorkflowDefinition): Promise<readonly string[]> {
  const shape = await shapeOf(definition);
  const children = Object.values(shape.children?.(definition) ?? {});
  const own = (await shape.routeTests?.(definition)) ?? [];
  const below = await Promise.all(children.map(testsIn));
  return [...new Set([...own, ...below.flat()])];
}

/** Names of the backends of one's own that agents of a workflow and its children have. */
export async function ownBackendsIn(
  definition: WorkflowDefinition,
  { backends }: Pick<WorkflowCode, "backends">,
): Promise<readonly string[]> {
  if (backends.length === 0) return [];
  const find = (_shape: WorkflowShape, { agents }: WorkflowDefinition) =>
    agents.map(({ backend }) => backend);
  const used = await namesIn(definition, find);
  return backends.map(({ name }) => name).filter((name) => used.includes(name));
}

async function namesIn(
  definition: WorkflowDefinition,
  find: (shape: WorkflowShape, definition: WorkflowDefinition) => readonly string[] | undefined,
): Promise<readonly string[]> {
  const shape = await shapeOf(definition);
  const children = Object.values(shape.children?.(definition) ?? {});
  const ofChildren = await Promise.all(children.map((child) => namesIn(child, find)));
  return [...new Set([...(find(shape, definition) ?? []), ...ofChildren.flat()])];
}
