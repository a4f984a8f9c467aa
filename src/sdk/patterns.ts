import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import type { AgentFunction } from "../contracts/agent-function.ts";
import { DEFAULT_EVALUATION_INTERVAL_MS, type PrunerSpec } from "../contracts/definition.ts";
import { present } from "../foundation/present.ts";
import { assertGraph } from "./assert-graph.ts";
import { beginRun } from "./begin-run.ts";
import {
  assertArgument,
  either,
  FLAG,
  FUNCTION,
  listOf,
  NUMBER,
  type OptionTable,
  optionsOf,
  required,
  TEXT,
} from "./check-options.ts";
import {
  assertPrograms,
  checkOptions,
  TASK,
  WORKFLOW_OPTIONS,
  withoutTask,
} from "./option-tables.ts";
import {
  assertNames,
  type BuiltWorkflow,
  buildWorkflow,
  type TaskDefinition,
  toAgent,
  type WorkflowOptions,
} from "./task-definition.ts";

export interface DagNode extends TaskDefinition {
  /** Unique; also the agent's id unless `name` is given. */
  readonly id: string;
  /** Nodes that must be done first. */
  readonly dependsOn?: readonly string[];
}

export interface DagOptions extends WorkflowOptions {
  readonly nodes: readonly DagNode[];
  /** Weak branches are cut off while they are under way. Defaults to none. */
  readonly pruner?: PrunerOptions;
}

/** How branches are looked at, and which of them are cut off; what is left out is as in files. */
export interface PrunerOptions extends Partial<Omit<PrunerSpec, "evaluator">> {
  /**
   * Says how good a branch is. A function is told the task of the branch and what it has said so far as its task, and answers
   * with a number, or with `FITNESS: <number>`. Any other agent is what a task would be done by; its name defaults to
   * `evaluator`.
   */
  readonly evaluator: AgentFunction | Omit<TaskDefinition, "task">;
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
  checkOptions("dag", DAG, options);
  assertPrograms("dag", options.nodes);
  const { nodes } = options;
  assertGraph(nodes);
  const placed = nodes.map(({ id, dependsOn, ...definition }) => ({
    definition,
    step: id,
    ...(dependsOn === undefined ? {} : { dependsOn }),
  }));
  const built = buildWorkflow(
    { name: "dag", label: "Node", onFailure: "continue" },
    placed,
    options,
  );
  const { definition, functions } = options.pruner
    ? withPruner(built, options.pruner, options)
    : built;
  return beginRun(definition, options, { functions });
}

const NODE: OptionTable<DagNode> = { ...TASK, id: required(TEXT), dependsOn: listOf(TEXT) };

const PRUNER: OptionTable<PrunerOptions> = {
  evaluator: required(either(FUNCTION, optionsOf(withoutTask(TASK)))),
  ...{ pruneThreshold: NUMBER, keepTopK: NUMBER, evaluationIntervalMs: NUMBER, beamWidth: NUMBER },
};

const DAG: OptionTable<DagOptions> = {
  ...WORKFLOW_OPTIONS,
  ...{ nodes: required(listOf(optionsOf(NODE))), pruner: optionsOf(PRUNER) },
};

/** A graph with the agent that rates its branches. Raises TASK_NAME_INVALID. */
function withPruner(
  { definition, functions }: BuiltWorkflow,
  { evaluator, ...bounds }: PrunerOptions,
  options: WorkflowOptions,
): BuiltWorkflow {
  const written = typeof evaluator === "function" ? { run: evaluator } : evaluator;
  const task = { ...written, task: "" };
  const { name: id = "evaluator", run } = task;
  const agents = [...definition.agents, toAgent(id, task, options)];
  assertNames(agents.map((agent) => agent.id));
  const evaluationIntervalMs = DEFAULT_EVALUATION_INTERVAL_MS;
  const pruner = { evaluator: id, evaluationIntervalMs, ...present(bounds) };
  return {
    definition: { ...definition, agents, pruner },
    functions: run === undefined ? functions : new Map([...functions, [id, run]]),
  };
}

export interface FanOutOptions extends WorkflowOptions {
  /** Cancel the others as soon as one has failed. Defaults to false. */
  readonly failFast?: boolean;
}

/**
 * Runs independent tasks side by side. `result` resolves when all are done, whatever came out of them.
 *
 * @example
 * ```ts
 * const run = fanOut([
 *   { name: "types", task: "check types", command: ["npx", "tsc", "--noEmit"] },
 *   { name: "tests", task: "run the tests", command: ["npm", "test"] },
 * ]);
 * console.log((await run.result).success);
 * ```
 */
export function fanOut(tasks: readonly TaskDefinition[], options: FanOutOptions = {}): WorkflowRun {
  assertArgument(["fanOut", "tasks"], listOf(optionsOf(TASK)), tasks);
  assertPrograms("fanOut", tasks);
  checkOptions<FanOutOptions>("fanOut", { ...WORKFLOW_OPTIONS, failFast: FLAG }, options);
  const onFailure = options.failFast === true ? "abort" : "continue";
  const placed = tasks.map((definition) => ({ definition }));
  const { definition, functions } = buildWorkflow(
    { name: "fan-out", label: "Worker", onFailure },
    placed,
    options,
  );
  return beginRun(definition, options, { functions });
}

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
  const stage: OptionTable<PipelineStage> = { ...TASK, receivesPreviousOutput: FLAG };
  assertArgument(["pipeline", "stages"], listOf(optionsOf(stage)), stages);
  assertPrograms("pipeline", stages);
  checkOptions("pipeline", WORKFLOW_OPTIONS, options);
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
