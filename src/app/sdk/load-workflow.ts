import type { PatternDefinition, WorkflowDefinition } from "../../contracts/definition.ts";
import { notSupported } from "../../workflows/checks/errors.ts";
import type { Problem } from "../../workflows/problems/problem.ts";
import type { RunRecipe } from "../run-recipe.ts";
import { machineFor } from "./sdk-machine.ts";
import type { WorkflowOptions } from "./task-definition.ts";

/** A workflow that was read from a file and is valid. */
export interface Workflow {
  readonly definition: PatternDefinition;
  /** As it was named. */
  readonly file: string;
  /** What is worth saying and harmless. */
  readonly warnings: readonly Problem[];
  readonly cassette?: NonNullable<RunRecipe["cassette"]>;
}

export interface LoadWorkflowOptions
  extends Pick<WorkflowOptions, "troupe" | "cwd" | "env" | "store"> {
  /** Stands in for every agent that names no backend, a model or a CLI: `script` runs anything without keys. */
  readonly backend?: string;
  /** Path of a cassette for scripted agents; without `backend` it stands for the backend `script`. */
  readonly cassette?: string;
}

/**
 * Reads and checks a pattern workflow. Rejects with WORKFLOW_INVALID, which holds all problems,
 * WORKFLOW_NOT_SUPPORTED for other workflows, FILE_* errors and CASSETTE_INVALID.
 *
 * @example
 * ```ts
 * const workflow = await loadWorkflow("workflows/review.yaml");
 * const run = runWorkflow(workflow, "Review the last commit");
 * ```
 */
export async function loadWorkflow(
  file: string,
  options: LoadWorkflowOptions = {},
): Promise<Workflow> {
  const { backend, cassette } = options;
  const [{ loadFile }, { assertLoaded }, machine] = await Promise.all([
    import("../load-file.ts"),
    import("../../workflows/load-workflow.ts"),
    machineFor(options),
  ]);
  const loaded = await loadFile(machine, {
    file,
    ...(backend === undefined ? {} : { backend }),
    ...(cassette === undefined ? {} : { cassette }),
  });
  return {
    definition: assertPattern(assertLoaded(loaded)),
    file,
    warnings: loaded.problems,
    ...(loaded.cassette === undefined ? {} : { cassette: loaded.cassette }),
  };
}

function assertPattern(definition: WorkflowDefinition): PatternDefinition {
  if (definition.shape === "pattern") return definition;
  const what = `run a ${definition.shape} workflow from TypeScript`;
  throw notSupported({ what, hint: "run it on the command line: troupe run FILE" });
}
