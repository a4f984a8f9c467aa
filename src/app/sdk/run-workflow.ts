import type { AgentFunction } from "../../agents/backends/function/agent-function.ts";
import type { Json } from "../../foundation/json.ts";
import { resolveParams } from "../../workflows/params.ts";
import { missingTask } from "../../workflows/task.ts";
import type { WorkflowRun } from "../workflow-run.ts";
import { beginRun } from "./begin-run.ts";
import type { Workflow } from "./load-workflow.ts";
import type { WorkflowOptions } from "./task-definition.ts";

/** What one run of a workflow changes; the definition stays as it is. */
export interface RunWorkflowOptions
  extends Pick<
    WorkflowOptions,
    | "timeoutMs"
    | "budget"
    | "maxConcurrency"
    | "cwd"
    | "env"
    | "store"
    | "troupe"
    | "approvals"
    | "onMessage"
    | "onAgentDone"
    | "onTaskAugmented"
  > {
  readonly params?: { readonly [name: string]: Json };
  /** Defaults to `default`. */
  readonly instance?: string;
  /** Functions of agents with `backend: function`, by agent id. */
  readonly functions?: { readonly [agent: string]: AgentFunction };
}

/**
 * Runs a workflow. Throws WORKFLOW_TASK_MISSING and WORKFLOW_PARAM_* before anything starts; what goes wrong
 * at the start rejects `result`.
 */
export function runWorkflow(
  workflow: Workflow,
  task?: string,
  options: RunWorkflowOptions = {},
): WorkflowRun {
  const { params = {}, instance, functions, timeoutMs, budget, maxConcurrency } = options;
  // Not by the shape of the workflow: that would load the programs of all shapes.
  const { values, errors } = resolveParams(workflow.definition.params, params);
  const problem = missingTask(workflow.definition, task) ?? errors[0];
  if (problem !== undefined) throw problem;
  const definition =
    maxConcurrency === undefined ? workflow.definition : { ...workflow.definition, maxConcurrency };
  return beginRun(definition, options, {
    file: workflow.file,
    params: values,
    ...(task === undefined ? {} : { task }),
    ...(instance === undefined ? {} : { instance }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(budget === undefined ? {} : { budget }),
    ...(functions === undefined ? {} : { functions: new Map(Object.entries(functions)) }),
    ...(workflow.cassette === undefined ? {} : { cassette: workflow.cassette }),
  });
}
