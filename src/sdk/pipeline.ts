import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import { beginRun } from "./begin-run.ts";
import { buildWorkflow, type TaskDefinition, type WorkflowOptions } from "./task-definition.ts";

export interface PipelineStage extends TaskDefinition {
  /** Give the agent what the stage before handed over. Defaults to true. */
  readonly receivesPreviousOutput?: boolean;
}

/**
 * Runs stages one after another, each with the result of the one before; a failed stage halts the rest.
 * `metadata.stages` of the result has name and summary of each.
 *
 * @example
 * ```ts
 * const run = pipeline([
 *   { name: "count", task: "", run: () => "41" },
 *   { name: "add", task: "", run: ({ prompt }) => `got ${prompt.length} characters` },
 * ]);
 * console.log((await run.result).metadata);
 * ```
 */
export function pipeline(
  stages: readonly PipelineStage[],
  options: WorkflowOptions = {},
): WorkflowRun {
  const placed = stages.map(({ receivesPreviousOutput, ...definition }) => ({
    definition,
    ...(receivesPreviousOutput === undefined ? {} : { receivesPreviousOutput }),
  }));
  const { definition, functions } = buildWorkflow(
    { name: "pipeline", label: "Stage", onFailure: "abort" },
    placed,
    options,
  );
  return beginRun(definition, options, { functions });
}
