import { areHarmless } from "../../app/catalogue/show-problems.ts";
import type { Machine } from "../../app/machine/machine.ts";
import type { StartOptions } from "../../app/run/start-run.ts";
import { checkInput } from "../../app/workflow/check-input.ts";
import { type FileRequest, type LoadedFile, loadFile } from "../../app/workflow/load-file.ts";
import { shapeOf } from "../../app/workflow/shapes/registry.ts";
import type { GivenInput, WorkflowShape } from "../../app/workflow/shapes/shape.ts";
import type { Budget } from "../../contracts/budget.ts";
import type { WorkflowDefinition } from "../../contracts/definition.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { sha256 } from "../../foundation/hash.ts";
import { INSTANCE_PATTERN } from "../../foundation/ids.ts";
import { present } from "../../foundation/present.ts";
import type { Invocation } from "../command/command.ts";
import { usageInvalid, workflowNotStanding } from "../command/errors.ts";
import type { OptionValues } from "../command/option.ts";
import { reportError, reportWarning } from "../command/report-error.ts";
import type { runInputOptions } from "../commands/parts/run-input.ts";
import { tellAgents } from "../config/tell-config.ts";
import { findWorkflow, repeatedWorkflow } from "./find-workflow.ts";
import { readBudget } from "./read-budget.ts";
import { inputPath, readInput } from "./read-input.ts";
import {
  type GivenValues,
  possibleParams,
  readValues,
  toParams,
  toRunInput,
} from "./read-params.ts";
import { type RunSubject, readOperands } from "./run-operands.ts";
import { tellProblems } from "./tell-problems.ts";

/** A run that can start. */
export interface PreparedRun {
  readonly definition: WorkflowDefinition;
  readonly start: Pick<
    StartOptions,
    | "task"
    | "params"
    | "input"
    | "file"
    | "fileHash"
    | "instance"
    | "cassette"
    | "timeoutMs"
    | "budget"
  >;
  /** How its workflow was loaded. */
  readonly request: Pick<
    FileRequest,
    "file" | "text" | "params" | "backend" | "importFrom" | "cassette"
  >;
  /** What decided on the backend of each agent. */
  readonly backendOrigins: LoadedFile["backendOrigins"];
}

/** What a command runs that no file says: its workflow, and what is to be done. */
export interface AskedWorkflow {
  readonly workflow: Pick<FileRequest, "file" | "text">;
  readonly task: string | undefined;
}

/** What a command decides that is no option. */
interface Preparation {
  /** When a kickoff workflow is to be over, if not when nobody has anything left to do. */
  readonly until?: FileRequest["until"];
  /** What is run, where the operands do not name it. */
  readonly asked?: AskedWorkflow;
}

/** What a command may take of them that starts a run. */
type RunInput = Partial<OptionValues<typeof runInputOptions>>;
type Params = ReturnType<typeof toParams>;

/**
 * Reads and checks all that a run is started with, before anything starts. Everything wrong is told on
 * standard error; then it resolves with undefined. Raises USAGE_INVALID, USAGE_WORKFLOW_NOT_STANDING, FILE_*, CASSETTE_INVALID,
 * DURATION_INVALID, BACKEND_UNKNOWN.
 */
export async function prepareRun(
  machine: Machine,
  invocation: Invocation<RunInput>,
  { until, asked: own }: Preparation = {},
): Promise<PreparedRun | undefined> {
  const input = invocation.options;
  const operands = own === undefined ? readOperands(invocation, input.agent) : undefined;
  const { subject, task } = operands ?? { subject: undefined, task: own?.task };
  const file = subject?.kind === "workflow" ? subject.file : undefined;
  if (file === "-" && input.taskFile === "-")
    throw usageInvalid({ problem: "standard input cannot be both the workflow and the task" });
  assertOneFile(input, subject);
  const bounds = readBounds(input);
  const given = {
    task: await readTask({ task, taskFile: input.taskFile }, invocation),
    values: await readValues(input, invocation),
  };
  const params = possibleParams(given.values);
  const workflow = own?.workflow ?? (await findWhole(machine, subject, invocation));
  const request = requestFor({ workflow, input, params }, invocation);
  const loaded = await loadFile(machine, { ...request, until });
  await tellProblems(loaded, invocation);
  const { definition } = loaded;
  if (definition === undefined || !areHarmless(loaded.problems)) return undefined;
  const shape = await shapeOf(definition);
  if (until === "stopped") assertStanding({ definition, shape }, file);
  const asked = inputOfRun(given, loaded, shape);
  const checked = await checkInput(definition, asked);
  for (const error of checked.errors) reportError(error, invocation.io, invocation.settings);
  if (checked.errors.length > 0) return undefined;
  for (const warning of checked.warnings)
    reportWarning(warning, invocation.io, invocation.settings);
  await tellAgents(machine, definition.agents, invocation);
  const { maxConcurrency, ...start } = bounds;
  return {
    // Raises WORKFLOW_NO_STEPS.
    definition:
      maxConcurrency === undefined
        ? definition
        : shape.withMaxConcurrency(definition, maxConcurrency),
    start: {
      ...start,
      file,
      fileHash: workflow.text === undefined ? sha256(loaded.source) : undefined,
      ...asked,
      params: checked.params,
      cassette: loaded.cassette,
    },
    request,
    backendOrigins: loaded.backendOrigins,
  };
}

/** Raises USAGE_INVALID where --from would not be obeyed: no file, or one that child runs read. */
function assertOneFile({ from, iter }: RunInput, subject: RunSubject | undefined): void {
  if (from === undefined) return;
  if (subject?.kind !== "workflow")
    throw usageInvalid({ problem: "--from is for a file of another tool, and no file is given" });
  if (iter !== undefined)
    throw usageInvalid({
      problem: "--from and --iter exclude each other",
      hint: `convert it first: troupe convert ${subject.file} --from ${from} -o NEW.yaml`,
    });
}

/** What is to go on until it is stopped must be able to. Raises USAGE_WORKFLOW_NOT_STANDING. */
function assertStanding(
  { definition, shape }: Pick<PreparedRun, "definition"> & { readonly shape: WorkflowShape },
  file: string | undefined,
): void {
  if (shape.isStanding?.(definition) === true) return;
  const workflow = file ?? definition.name;
  throw workflowNotStanding({ workflow, label: shape.label(definition) });
}

/** What is run, once or again and again. */
async function findWhole(
  machine: Machine,
  subject: RunSubject | undefined,
  invocation: Invocation<RunInput>,
): ReturnType<typeof findWorkflow> {
  const workflow = await findSubject(machine, subject, invocation);
  const { iter: condition } = invocation.options;
  if (condition === undefined) return workflow;
  return repeatedWorkflow({ workflow, condition, cwd: invocation.settings.cwd });
}

async function findSubject(
  machine: Machine,
  subject: RunSubject | undefined,
  invocation: Invocation,
): ReturnType<typeof findWorkflow> {
  if (subject === undefined) throw new Error("nothing says what is run");
  if (subject.kind === "workflow") return findWorkflow(subject.file, invocation);
  const { singleAgentWorkflow } = await import("../../app/workflow/single-agent.ts");
  return singleAgentWorkflow(machine, subject);
}

/** What was given in the words of the workflow: task and params, or one input. Raises USAGE_INVALID. */
function inputOfRun(
  { task, values }: { readonly task: string | undefined; readonly values: GivenValues },
  { usedParams }: LoadedFile,
  { takesInput }: WorkflowShape,
): GivenInput & { readonly params: Params } {
  if (takesInput) {
    const input = toRunInput(values, task);
    return { params: {}, ...present({ input }) };
  }
  // What shaped the template is no param of the run any more.
  const params = Object.entries(toParams(values)).filter(([name]) => !usedParams.includes(name));
  return { params: Object.fromEntries(params), ...present({ task }) };
}

interface Bounds {
  readonly instance: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly budget: Budget;
  readonly maxConcurrency: number | undefined;
}

function readBounds({ instance, timeout, maxConcurrency, ...limits }: RunInput): Bounds {
  if (instance !== undefined && !INSTANCE_PATTERN.test(instance))
    throw usageInvalid({
      problem: `"${instance}" cannot name an instance`,
      hint: "use letters, digits, dots, - and _, at most 64",
    });
  if (maxConcurrency !== undefined && !/^[1-9]\d{0,5}$/.test(maxConcurrency))
    throw usageInvalid({
      problem: `--max-concurrency must be a number from 1 on, got "${maxConcurrency}"`,
    });
  return {
    instance,
    timeoutMs: timeout === undefined ? undefined : parseDuration(timeout, "--timeout"),
    budget: readBudget(limits),
    maxConcurrency: maxConcurrency === undefined ? undefined : Number(maxConcurrency),
  };
}

/** How the workflow is loaded. */
function requestFor(
  {
    workflow,
    input,
    params,
  }: {
    readonly workflow: Awaited<ReturnType<typeof findWorkflow>>;
    readonly input: RunInput;
    readonly params: Params;
  },
  { settings }: Invocation,
): PreparedRun["request"] {
  const { backend, cassette, from: importFrom } = input;
  return {
    ...workflow,
    ...{ importFrom, params, backend },
    cassette: cassette === undefined ? undefined : inputPath(cassette, settings),
  };
}

/** The task of a run, from the command line, a file or standard input. Raises USAGE_INVALID, FILE_* errors. */
async function readTask(
  given: { readonly task: string | undefined; readonly taskFile: string | undefined },
  invocation: Invocation,
): Promise<string | undefined> {
  const { task, taskFile } = given;
  if (taskFile === undefined) return task;
  if (task !== undefined)
    throw usageInvalid({ problem: "the task is given twice: as an argument and by --task-file" });
  const text = await readInput(taskFile, invocation);
  return text.replace(/\r?\n$/, "");
}
