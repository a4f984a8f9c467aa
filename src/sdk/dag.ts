import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import { assertGraph } from "./assert-graph.ts";
import { beginRun } from "./begin-run.ts";
import { buildWorkflow, type TaskDefinition, type WorkflowOptions } from "./task-definition.ts";

export interface DagNode extends TaskDefinition {
  /** Unique; also the agent's id unless `name` is given. */
  readonly id: string;
  /** Nodes that must be done first. */
  readonly dependsOn?: readonly string[];
}

export interface DagOptions extends WorkflowOptions {
  readonly nodes: readonly DagNode[];
}

/**
 * Runs a graph of tasks: each starts the moment its own dependencies are done. A failure blocks only what
 * depends on it; the run has then failed. Throws WORKFLOW_GRAPH_INVALID for unknown ids, ids used twice and cycles.
 *
 * @example
 * ```ts
 * const run = dag({
 *   nodes: [
 *     { id: "build", task: "", command: ["npm", "run", "build"] },
 *     { id: "test", task: "", command: ["npm", "test"], dependsOn: ["build"] },
 *   ],
 * });
 * await run.result;
 * ```
 */
export function dag(options: DagOptions): WorkflowRun {
  const { nodes } = options;
  assertGraph(nodes);
  const placed = nodes.map(({ id, dependsOn, ...definition }) => ({
    definition,
    step: id,
    ...(dependsOn === undefined ? {} : { dependsOn }),
  }));
  const { definition, functions } = buildWorkflow(
    { name: "dag", label: "Node", onFailure: "continue" },
    placed,
    options,
  );
  return beginRun(definition, options, { functions });
}
