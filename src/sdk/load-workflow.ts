import { resolve } from "node:path";
import type { Machine } from "../app/machine/machine.ts";
import type { OwnCode } from "../app/workflow/code/workflow-code.ts";
import type { FileRequest } from "../app/workflow/load-file.ts";
import { otherShape } from "../app/workflow/shapes/errors.ts";
import type { RunRecipe } from "../app/workflow/shapes/run-recipe.ts";
import type {
  PatternDefinition,
  WorkflowDefinition,
  WorkflowDefinitions,
} from "../contracts/definition.ts";
import { present } from "../foundation/present.ts";
import type { Problem } from "../workflows/problems/problem.ts";
import { taskNeed } from "../workflows/task.ts";
import { assertArgument, type OptionTable, oneOf, TEXT } from "./check-options.ts";
import { CODE, checkOptions, PLACE } from "./option-tables.ts";
import { machineFor } from "./sdk-machine.ts";
import type { WorkflowOptions } from "./task-definition.ts";

/** Code of your own that a workflow is loaded with, beside that of plug-ins; its runs have it too. */
export type LoadedCode = Omit<OwnCode, "guards">;

/** A workflow that was read and is valid. */
export interface Workflow<Definition extends WorkflowDefinition = PatternDefinition>
  extends LoadedCode {
  readonly definition: Definition;
  /** As it was named; absent when it was built in TypeScript. */
  readonly file?: string;
  /** What needs a task, in words; absent when it runs without one. */
  readonly needsTask?: string;
  /** What is worth saying and harmless. */
  readonly warnings: readonly Problem[];
  readonly cassette?: NonNullable<RunRecipe["cassette"]>;
}

export interface LoadWorkflowOptions
  extends LoadedCode,
    Pick<WorkflowOptions, "troupe" | "cwd" | "env" | "store"> {
  /** Stands in for every agent that names no backend, a model or a CLI: `script` runs anything without keys. */
  readonly backend?: string;
  /** Path of a cassette for scripted agents, from `cwd`; without `backend` it stands for the backend `script`. */
  readonly cassette?: string;
}

/**
 * Reads and checks a workflow of a shape, `pattern` unless `shape` says otherwise; its path counts from `cwd`. In a step
 * workflow, agents that nothing describes are left to the functions of `runWorkflow`. Rejects with WORKFLOW_INVALID, which holds all
 * problems, WORKFLOW_OTHER_SHAPE, FILE_* errors, CASSETTE_INVALID, PLUGIN_* errors and what is wrong with code of your
 * own: WORKFLOW_STEP_TYPE_INVALID, WORKFLOW_PATTERN_INVALID, WORKFLOW_BACKEND_INVALID.
 *
 * @example
 * ```ts
 * const review = await loadWorkflow("workflows/review.yaml");
 * const run = runWorkflow(review, "Review the last commit");
 *
 * const feature = await loadWorkflow("workflows/feature.json", { shape: "steps" });
 * const { context } = await runWorkflow(feature, "Add a dark mode").result;
 * ```
 */
export async function loadWorkflow<Shape extends keyof WorkflowDefinitions = "pattern">(
  file: string,
  options: LoadWorkflowOptions & { readonly shape?: Shape } = {},
): Promise<Workflow<WorkflowDefinitions[Shape]>> {
  assertArgument(["loadWorkflow", "file"], TEXT, file);
  checkOptions<Parameters<typeof loadWorkflow>[1] & {}>("loadWorkflow", LOADING_ONE, options);
  const machine = await machineFor(options);
  const { cwd, cassette } = options;
  // As it was named where that is what it means: errors show it.
  const from = (path: string) => (cwd === undefined ? path : resolve(cwd, path));
  const given = { ...options, ...present({ cassette: cassette && from(cassette) }) };
  const loaded = await loadAny(machine, { file: from(file) }, given);
  const shape: keyof WorkflowDefinitions = options.shape ?? "pattern";
  if (!hasShape<Shape>(loaded, shape))
    throw otherShape({ file, shape: loaded.definition.shape, wanted: shape });
  return { ...loaded, file };
}

const { guards: _, ...LOADED_CODE } = CODE;

/** How a workflow is loaded. */
export const LOADING: OptionTable<LoadWorkflowOptions> = {
  ...PLACE,
  ...LOADED_CODE,
  ...{ backend: TEXT, cassette: TEXT },
};

const LOADING_ONE = { ...LOADING, shape: oneOf("pattern", "steps", "kickoff") };

/** Loads what a file, or a text in place of one, says. Raises what loadWorkflow raises but WORKFLOW_OTHER_SHAPE. */
export async function loadAny(
  machine: Machine,
  source: Pick<FileRequest, "file" | "text" | "codeAgents">,
  options: Pick<LoadWorkflowOptions, "backend" | "cassette"> & LoadedCode,
): Promise<Workflow<WorkflowDefinition>> {
  const { backend, cassette } = options;
  const code = loadedCode(options);
  const [{ loadFile }, { assertLoaded }, { backendTraits }] = await Promise.all([
    import("../app/workflow/load-file.ts"),
    import("../workflows/load-workflow.ts"),
    import("../app/machine/backends/backend-state.ts"),
  ]);
  const loaded = await loadFile(machine, {
    codeAgents: { ids: new Set(), isOpen: true },
    ...source,
    ...code,
    ...present({ backend, cassette }),
  });
  const definition = assertLoaded(loaded);
  const needsTask =
    definition.shape === "pattern" ? taskNeed(definition, backendTraits) : undefined;
  return {
    definition,
    warnings: loaded.problems,
    ...code,
    ...present({ needsTask, cassette: loaded.cassette }),
  };
}

/** The code among other options. */
function loadedCode({ stepTypes, patterns, backends, routes }: LoadedCode): LoadedCode {
  return present({ stepTypes, patterns, backends, routes });
}

/** All that either has; of two with the same name the later one. */
export function joinCode(first: LoadedCode, second: LoadedCode): LoadedCode {
  return {
    stepTypes: joined(first.stepTypes, second.stepTypes),
    patterns: joined(first.patterns, second.patterns),
    backends: joined(first.backends, second.backends),
    routes: joined(first.routes, second.routes),
  };
}

function joined<Item extends { readonly name: string }>(
  first: readonly Item[] = [],
  second: readonly Item[] = [],
): readonly Item[] {
  return [...first.filter((item) => !second.includes(item)), ...second];
}

/** Whether a workflow has the shape that its caller counts on. */
export function hasShape<Shape extends keyof WorkflowDefinitions>(
  workflow: Workflow<WorkflowDefinition>,
  shape: keyof WorkflowDefinitions,
): workflow is Workflow<WorkflowDefinitions[Shape]> {
  return workflow.definition.shape === shape;
}
