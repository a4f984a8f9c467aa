import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import type { StartOptions } from "../app/run/start-run.ts";
import type { OwnCode } from "../app/workflow/code/workflow-code.ts";
import { optionUnused } from "../app/workflow/shapes/errors.ts";
import type { AgentFunction } from "../contracts/agent-function.ts";
import type {
  KickoffDefinition,
  PatternDefinition,
  StepsDefinition,
  WorkflowDefinition,
} from "../contracts/definition.ts";
import type { PatternFunctions } from "../contracts/pattern-functions.ts";
import { type Json, toJson } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { taskMissing } from "../workflows/errors.ts";
import { resolveParams } from "../workflows/params.ts";
import { resolveGivenReflection } from "../workflows/resolve/resolve-reflection.ts";
import { beginPrepared, type PreparedStart } from "./begin-run.ts";
import {
  assertArgument,
  FUNCTION,
  JSON_VALUE,
  mapOf,
  OBJECT,
  type OptionTable,
  optionsOf,
  TEXT,
} from "./check-options.ts";
import {
  hasShape,
  joinCode,
  LOADING,
  type LoadedCode,
  type LoadWorkflowOptions,
  loadAny,
  type Workflow,
} from "./load-workflow.ts";
import {
  APPROVALS,
  CODE,
  checkOptions,
  HOOKS,
  PATTERN_FUNCTION_OPTIONS,
  PLACE,
  WORKFLOW_OPTIONS,
} from "./option-tables.ts";
import {
  type StepAgent,
  toAgentFunctions,
  withFunctions,
  withPatternFunctions,
} from "./step-agents.ts";
import { type StepWorkflowRun, toStepRun } from "./step-run.ts";
import type { WorkflowOptions } from "./task-definition.ts";

/** What one run of any workflow changes; the definition stays as it is. Code is beside that which it was loaded with and that of plug-ins. */
interface RunOptions
  extends Pick<OwnCode, "backends">,
    Pick<
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
      | "onReflectionComplete"
    > {
  /** Defaults to `default`. */
  readonly instance?: string;
}

/** What one run of a pattern or kickoff workflow changes. */
export interface RunWorkflowOptions
  extends RunOptions,
    Pick<OwnCode, "patterns" | "routes">,
    Pick<WorkflowOptions, "onReflect" | "scorer"> {
  readonly params?: { readonly [name: string]: Json };
  /** Functions in place of agents, by their ids. Such runs are resumed in code, with the same functions. */
  readonly functions?: { readonly [agent: string]: AgentFunction };
  /** Functions that the pattern asks in place of its block, such as the `evaluator` of an auction. Such runs are resumed with them. */
  readonly patternFunctions?: PatternFunctions;
}

/** What one run of a step workflow changes. */
export interface RunStepsOptions<Agent extends string = string> extends RunOptions, OwnCode {
  /** Functions in place of agents, by their ids. Such runs are resumed in code, with the same `agents`. */
  readonly agents?: { readonly [agent in Agent]?: StepAgent };
}

/** A pattern workflow as its file has it. */
export interface PatternContent {
  readonly pattern: string;
  /** The name of the pattern by default. */
  readonly name?: string;
  readonly [key: string]: Json | undefined;
}

/** How a workflow is loaded for one run. */
export type Loading = Pick<LoadWorkflowOptions, "backend" | "cassette"> & LoadedCode;

/**
 * Runs a workflow that was loaded, or the content of a file with a pattern. A pattern or kickoff workflow takes a task, a
 * step workflow any JSON as its input. Throws WORKFLOW_TASK_MISSING, WORKFLOW_PARAM_*, WORKFLOW_FUNCTION_UNUSED and PATTERN_FUNCTION_UNUSED
 * before anything starts; what goes wrong at the start rejects `result`, and so does all that is wrong with a content.
 *
 * @example
 * ```ts
 * const feature = await loadWorkflow("feature.json", { shape: "steps" });
 * const { success, context } = await runWorkflow(feature, "Add a dark mode", {
 *   agents: { planner: ({ input }) => ({ files: ["theme.ts"], task: input }) },
 * }).result;
 *
 * const race = { pattern: "relay-race", agents: [{ id: "a" }, { id: "b" }], relayRace: { laps: 2 } };
 * await runWorkflow(race, "Write a poem", { patterns: [relay] }).result;
 * ```
 */
export function runWorkflow(
  workflow: Workflow<PatternDefinition> | Workflow<KickoffDefinition>,
  task?: string,
  options?: RunWorkflowOptions,
): WorkflowRun;
export function runWorkflow(
  workflow: Workflow<StepsDefinition>,
  input?: Json,
  options?: RunStepsOptions,
): StepWorkflowRun;
export function runWorkflow(
  content: PatternContent,
  task?: string,
  options?: RunWorkflowOptions & Loading,
): WorkflowRun;
export function runWorkflow(
  workflow: Workflow<WorkflowDefinition> | PatternContent,
  given?: Json,
  options: RunWorkflowOptions & RunStepsOptions & Loading = {},
): WorkflowRun | StepWorkflowRun {
  assertArgument(["runWorkflow", "workflow"], OBJECT, workflow);
  checkGiven(workflow, given, options);
  const taskGiven = typeof given === "string" ? given : undefined;
  if (isContent(workflow)) return runContent(workflow, taskGiven, options);
  if (hasShape<"steps">(workflow, "steps")) {
    const prepared = prepareSteps(workflow, given, options);
    return toStepRun(beginPrepared(options, () => prepared));
  }
  const prepared = prepareTask(workflow, taskGiven, options);
  return beginPrepared(options, () => prepared).run;
}

const RUN: OptionTable<RunOptions> = {
  ...PLACE,
  ...{ timeoutMs: WORKFLOW_OPTIONS.timeoutMs, budget: WORKFLOW_OPTIONS.budget },
  ...{ maxConcurrency: WORKFLOW_OPTIONS.maxConcurrency, approvals: APPROVALS, instance: TEXT },
  ...{ onMessage: HOOKS.onMessage, onAgentDone: HOOKS.onAgentDone, backends: CODE.backends },
  ...{ onTaskAugmented: HOOKS.onTaskAugmented, onReflectionComplete: HOOKS.onReflectionComplete },
};

/** What a run of a pattern or kickoff workflow takes. */
export const TEAM_RUN: OptionTable<RunWorkflowOptions> = {
  ...RUN,
  ...{ patterns: CODE.patterns, routes: CODE.routes, params: mapOf(JSON_VALUE) },
  ...{ functions: mapOf(FUNCTION), patternFunctions: optionsOf(PATTERN_FUNCTION_OPTIONS) },
  ...{ onReflect: HOOKS.onReflect, scorer: HOOKS.scorer },
};

/** What a run of a step workflow takes. */
export const STEPS_RUN: OptionTable<RunStepsOptions> = {
  ...RUN,
  ...CODE,
  agents: mapOf(FUNCTION),
};

function checkGiven(
  workflow: Workflow<WorkflowDefinition> | PatternContent,
  given: Json | undefined,
  options: unknown,
): void {
  const call = "runWorkflow";
  if (isContent(workflow)) assertArgument([call, "workflow"], JSON_VALUE, workflow);
  else assertArgument([call, "workflow.definition"], OBJECT, workflow.definition);
  const takesInput = !isContent(workflow) && hasShape<"steps">(workflow, "steps");
  if (!takesInput && given !== undefined) assertArgument([call, "task"], TEXT, given);
  if (isContent(workflow))
    checkOptions<RunWorkflowOptions & Loading>(call, { ...LOADING, ...TEAM_RUN }, options);
  else if (takesInput) checkOptions(call, STEPS_RUN, options);
  else checkOptions(call, TEAM_RUN, options);
}

function isContent(given: Workflow<WorkflowDefinition> | PatternContent): given is PatternContent {
  return "pattern" in given;
}

/** Loads and runs in one: what is wrong with it rejects `result`. */
function runContent(
  { name, ...content }: PatternContent,
  task: string | undefined,
  options: RunWorkflowOptions & Loading,
): WorkflowRun {
  const id = typeof name === "string" ? name : content.pattern;
  return beginPrepared(options, async (machine) => {
    const text = JSON.stringify({ name: id, ...content }, null, 2);
    const codeAgents = { ids: new Set(Object.keys(options.functions ?? {})), isOpen: true };
    const loaded = await loadAny(machine, { file: `${id}.json`, text, codeAgents }, options);
    return prepareTask(loaded, task, options);
  }).run;
}

/** A definition with what its run is started with. Raises WORKFLOW_TASK_MISSING, WORKFLOW_PARAM_* and *_FUNCTION_UNUSED errors. */
export function prepareTask(
  workflow: Workflow<WorkflowDefinition>,
  task: string | undefined,
  options: RunWorkflowOptions,
): PreparedStart {
  const { params = {}, functions = {}, patternFunctions = {} } = options;
  const { definition, needsTask: user } = workflow;
  // Not by the shape of the workflow: that would load the programs of all shapes.
  const { values, errors } = resolveParams(definition.params, params);
  const isMissing = task === undefined && user !== undefined;
  const missing = isMissing ? taskMissing({ workflow: definition.name, user }) : undefined;
  const problem = missing ?? errors[0];
  if (problem !== undefined) throw problem;
  const given = withReflection(withFunctions(definition, functions), options);
  return {
    definition: limited(withPatternFunctions(given, patternFunctions), options),
    start: {
      ...startOf(workflow, options),
      patternFunctions,
      ...joinCode(workflow, options),
      params: values,
      ...present({ task }),
      functions: new Map(Object.entries(functions)),
    },
  };
}

/** The same for a step workflow. Raises WORKFLOW_FUNCTION_UNUSED, VALUE_NOT_JSON. */
export function prepareSteps(
  workflow: Workflow<StepsDefinition>,
  input: Json | undefined,
  options: RunStepsOptions,
): PreparedStart {
  const { guards } = options;
  const agents = Object.fromEntries(
    Object.entries(options.agents ?? {}).flatMap(([id, agent]) =>
      agent === undefined ? [] : [[id, agent]],
    ),
  );
  return {
    definition: limited(withFunctions(workflow.definition, agents), options),
    start: {
      ...startOf(workflow, options),
      ...present({ input: input === undefined ? undefined : toJson(input, "the input of a run") }),
      functions: toAgentFunctions(agents),
      ...joinCode(workflow, options),
      ...present({ guards }),
    },
  };
}

function startOf(
  { file, cassette }: Workflow<WorkflowDefinition>,
  { instance, timeoutMs, budget }: RunOptions,
): Omit<StartOptions, "id" | keyof OwnCode> {
  return { file, instance, timeoutMs, budget, cassette };
}

/** Raises SDK_OPTION_UNUSED for workflows of other shapes: they have no steps that could be limited. */
function limited(
  definition: WorkflowDefinition,
  { maxConcurrency }: RunOptions,
): WorkflowDefinition {
  const { shape } = definition;
  if (maxConcurrency === undefined) return definition;
  if (shape !== "pattern" && shape !== "steps")
    throw unused("maxConcurrency", `a ${shape} workflow has no steps`);
  return { ...definition, maxConcurrency };
}

/**
 * A pattern workflow on which these functions reflect: with what its file says of reflecting, or as in the functions of the
 * patterns. Raises SDK_OPTION_UNUSED where nobody would ask them.
 */
function withReflection(
  definition: WorkflowDefinition,
  { onReflect, scorer }: RunWorkflowOptions,
): WorkflowDefinition {
  const functions = present({ onReflect, scorer });
  const [name] = Object.keys(functions);
  if (name === undefined) return definition;
  if (definition.shape !== "pattern")
    throw unused(name, `a ${definition.shape} workflow reflects on nothing`);
  const { reflection } = definition;
  const resolved = resolveGivenReflection({ ...functions, ...present({ reflection }) });
  if (resolved.reflection === undefined) throw unused(name, "the workflow reflects on nothing");
  return { ...definition, ...resolved };
}

function unused(option: string, why: string): Error {
  return optionUnused({ call: "runWorkflow", option, why });
}
