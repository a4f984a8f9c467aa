import type { Machine } from "../app/machine/machine.ts";
import type { RunHooks } from "../app/run/owner/hooks.ts";
import type { UserBackend } from "../app/workflow/code/workflow-code.ts";
import { taskNameInvalid } from "../app/workflow/shapes/errors.ts";
import type { AgentSpec } from "../contracts/agent.ts";
import type { AgentFunction } from "../contracts/agent-function.ts";
import type { Budget } from "../contracts/budget.ts";
import type { FailurePolicy, PatternDefinition } from "../contracts/definition.ts";
import { stampFormat } from "../contracts/definition-format.ts";
import type { ResourceLimits } from "../contracts/host.ts";
import type { ReflectionFunctions } from "../contracts/reflection.ts";
import type { ApprovalMode } from "../contracts/run.ts";
import type { StepSpec, VerificationSpec } from "../contracts/step.ts";
import type { StigmergySpec } from "../contracts/stigmergy.ts";
import { parseDuration } from "../foundation/duration.ts";
import { ID_PATTERN, RESERVED_AGENT_IDS } from "../foundation/ids.ts";
import type { Json } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { escapeTemplate } from "../programs/language/templates/template.ts";
import { resolveStigmergy } from "../programs/primitives/own-turns.ts";
import { bindShadows, type ShadowPlan } from "../programs/primitives/shadows/bind-shadows.ts";
import {
  resolveGivenReflection,
  type WrittenReflection,
} from "../workflows/resolve/resolve-reflection.ts";
import {
  resolveTrajectory,
  type TrajectoryOptions,
} from "../workflows/resolve/resolve-trajectory.ts";

/** A command that must end as expected, as files write it. */
export interface CommandCheck {
  readonly command: string | readonly string[];
  /** Its exit code. Defaults to 0. */
  readonly expectExit?: number;
  /** A duration such as `2m`. Defaults to that of files. */
  readonly timeout?: string;
}

/** One task and the agent that gets it. */
export interface TaskDefinition {
  /** What the agent is asked to do. Plain text: nothing in it is expanded. */
  readonly task: string;
  /** The agent's id. Defaults to `Worker-1`, `Stage-1`, ... by pattern. */
  readonly name?: string;
  /** Defaults to that of the options; `function` when `run` is given, `command` when `command` is. */
  readonly backend?: string;
  /** Another name for `backend`. */
  readonly cli?: string;
  /** An agent that is a TypeScript function. Such runs are resumed in code, not by the command line. */
  readonly run?: AgentFunction;
  /** An agent that is a program: argv, or a text for `sh -c`. */
  readonly command?: string | readonly string[];
  /** Further argv elements of a command. */
  readonly args?: readonly string[];
  /** Turns of a scripted agent, as in cassettes. */
  readonly script?: readonly Json[];
  readonly model?: string;
  readonly env?: { readonly [name: string]: string };
  /** Marker that completes the task; `none` for no marker. Defaults to DONE for agents that can signal. */
  readonly expects?: string;
  /** Attempts in all. Defaults to 1. */
  readonly maxAttempts?: number;
  /** Wait before the second attempt in ms; doubles. Defaults to 0. */
  readonly retryDelayMs?: number;
  /** Per attempt, in ms. */
  readonly timeoutMs?: number;
  readonly verify?: readonly (VerificationSpec | CommandCheck)[];
  /** Channels that it is told of: what it posts to nobody goes to the first, and it reads no other. Defaults to the main one. */
  readonly channels?: readonly string[];
  /** What all turns of the agent may consume; then they fail with a LIMIT_* error. */
  readonly budget?: Budget;
  /** What the agent's programs may take of this machine, where that differs from the configuration. */
  readonly limits?: Partial<ResourceLimits>;
}

/** Agents that watch those of the tasks. */
export interface ShadowOptions extends ShadowPlan {
  /** What they are to look at. Plain text: nothing in it is expanded. */
  readonly task: string;
  /** Defaults to that of the options. */
  readonly backend?: string;
  /** Another name for `backend`. */
  readonly cli?: string;
  readonly model?: string;
  /** Turns that each scripted shadow plays, as in cassettes. */
  readonly script?: readonly Json[];
}

/** What all patterns take. */
export interface WorkflowOptions extends RunHooks, ReflectionFunctions {
  /** Backend of tasks that name none. Defaults to `claude`. */
  readonly backend?: string;
  /** Another name for `backend`. */
  readonly cli?: string;
  /** Name of the workflow in listings. Defaults to the pattern's. */
  readonly name?: string;
  /** Running time of the whole run in ms. Defaults to 10 minutes, unless the budget limits its time. */
  readonly timeoutMs?: number;
  /** What the run may consume. At a limit it ends as `limit-reached`, and can be resumed with more. */
  readonly budget?: Budget;
  /** Name of the main channel. Defaults to `main`. */
  readonly channel?: string;
  /** Agents that watch others, get copies of their messages and may comment on them. Defaults to none. */
  readonly shadow?: ShadowOptions;
  /** Agents leave marks for each other, which may fade; what is left out is as in files. Defaults to no marks. */
  readonly stigmergy?: Partial<StigmergySpec>;
  /** Somebody reflects on the work of all from time to time, and may change it; as in files. Defaults to nobody. */
  readonly reflection?: WrittenReflection;
  /** Another name for `reflection.threshold`: 0 for nobody. */
  readonly reflectionThreshold?: number;
  /** The run leaves a trajectory when it ends; as in files. Needs a run that is kept. Defaults to none. */
  readonly trajectory?: TrajectoryOptions;
  /** Agents that work at the same time. Defaults to all. */
  readonly maxConcurrency?: number;
  /** Where agents start; also decides the project. Defaults to the current directory. */
  readonly cwd?: string;
  /** Environment that agents inherit from, by the allow-list. Defaults to that of the process. */
  readonly env?: { readonly [name: string]: string | undefined };
  /** `files` keeps the run in the project so that it can be resumed (default); `memory` forgets it. */
  readonly store?: "files" | "memory";
  /** Use this machine instead of making one from `cwd`, `env` and `store`. */
  readonly troupe?: Machine;
  /** Who decides approvals. Defaults to `ask`. */
  readonly approvals?: ApprovalMode;
  /** Backends of your own that agents may have, beside those of plug-ins. */
  readonly backends?: readonly UserBackend[];
}

const DEFAULT_TIMEOUT_MS = 600_000;
const DEFAULT_BACKEND = "claude";

/** One task with its place in the pattern. */
export interface PlacedTask {
  readonly definition: TaskDefinition;
  /** Id of the step; the agent's id unless the pattern has step ids of its own. */
  readonly step?: string;
  readonly dependsOn?: readonly string[];
  readonly receivesPreviousOutput?: boolean;
}

/** A pattern definition and the functions of its agents. */
export interface BuiltWorkflow {
  readonly definition: PatternDefinition;
  readonly functions: ReadonlyMap<string, AgentFunction>;
}

/** Builds the definition that a list of tasks stands for. */
export function buildWorkflow(
  pattern: { readonly name: string; readonly label: string; readonly onFailure: FailurePolicy },
  tasks: readonly PlacedTask[],
  options: WorkflowOptions,
): BuiltWorkflow {
  const named = tasks.map((placed, index) => ({
    ...placed,
    agent: placed.definition.name ?? placed.step ?? `${pattern.label}-${index + 1}`,
  }));
  assertNames(named.map(({ agent }) => agent));
  const functions = new Map<string, AgentFunction>();
  for (const { agent, definition } of named)
    if (definition.run !== undefined) functions.set(agent, definition.run);
  const agents = named.map(({ agent, definition }) => toAgent(agent, definition, options));
  const shadows = toShadows(agents, options);
  const definition: PatternDefinition = {
    ...emptyDefinition(pattern.name, options),
    agents: [...agents, ...shadows],
    steps: named.map(({ agent, ...placed }) => toStep(agent, placed)),
    onFailure: pattern.onFailure,
  };
  return { definition, functions };
}

/** What options say of a workflow that nobody takes part in yet. */
export function emptyDefinition(pattern: string, options: WorkflowOptions): PatternDefinition {
  const { name = pattern, maxConcurrency, budget, channel = "main", stigmergy } = options;
  return stampFormat({
    shape: "pattern",
    name,
    pattern,
    params: {},
    agents: [],
    steps: [],
    barriers: [],
    onFailure: "continue",
    ...present({ maxConcurrency, budget }),
    ...timeoutOf(options),
    ...resolveGivenReflection(options),
    ...resolveStigmergy(stigmergy),
    ...resolveTrajectory(options.trajectory),
    channel,
    options: {},
  });
}

/** A limit of time stands for the default timeout. */
function timeoutOf({ timeoutMs, budget }: WorkflowOptions): { readonly timeoutMs?: number } {
  if (timeoutMs !== undefined) return { timeoutMs };
  return budget?.wallClockMs === undefined ? { timeoutMs: DEFAULT_TIMEOUT_MS } : {};
}

/** Whether agents can have these ids. Raises TASK_NAME_INVALID. */
export function assertNames(names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    const key = name.toLowerCase();
    if (!ID_PATTERN.test(name))
      throw taskNameInvalid({
        name,
        problem: "is no id: a letter, then letters, digits, _ and -, at most 64 characters",
      });
    if (RESERVED_AGENT_IDS.has(key)) throw taskNameInvalid({ name, problem: "is reserved" });
    if (seen.has(key))
      throw taskNameInvalid({ name, problem: "is used twice; names compare without case" });
    seen.add(key);
  }
}

function toChannel(name: string): string {
  const bare = name.replace(/^#/, "");
  if (ID_PATTERN.test(bare)) return bare;
  throw taskNameInvalid({
    name,
    problem: "is no name of a channel: a letter, then letters, digits, _ and -",
  });
}

/** The agent of a task. Raises TASK_NAME_INVALID for channels that can have no such name. */
export function toAgent(id: string, task: TaskDefinition, options: WorkflowOptions): AgentSpec {
  const { command, args, script, model, env, budget, limits, channels } = task;
  const settings = {
    ...(command === undefined ? {} : { command: escapeCommand(command) }),
    ...(args === undefined ? {} : { args: args.map(escapeTemplate) }),
    ...(script === undefined ? {} : { script }),
  };
  return {
    id,
    backend: backendOf(task, options),
    ...(model === undefined ? {} : { model }),
    ...(env === undefined ? {} : { env: escapeValues(env) }),
    ...present({ budget, limits, channels: channels?.map(toChannel) }),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  };
}

/** Agents that watch, as the options say. */
export function toShadows(
  agents: readonly AgentSpec[],
  options: WorkflowOptions,
): readonly AgentSpec[] {
  const { shadow } = options;
  if (shadow === undefined) return [];
  const { task, model, script, backend = shadow.cli } = shadow;
  const known = new Set(agents.map(({ id }) => id.toLowerCase()));
  for (const name of shadow.of ?? [])
    if (!known.has(name.toLowerCase()))
      throw taskNameInvalid({ name, problem: "is no agent that a shadow could watch" });
  const shadows = bindShadows(agents, shadow, () => ({
    backend: backend ?? backendOf({ task, ...(script === undefined ? {} : { script }) }, options),
    ...(model === undefined ? {} : { model }),
    settings: {
      ...(script === undefined ? {} : { script }),
      systemPrompt: escapeTemplate(task),
    },
  }));
  assertNames([...agents, ...shadows].map(({ id }) => id));
  return shadows;
}

function backendOf(task: TaskDefinition, options: WorkflowOptions): string {
  const named = task.backend ?? task.cli;
  if (named !== undefined) return named;
  if (task.run !== undefined) return "function";
  if (task.command !== undefined) return "command";
  if (task.script !== undefined) return "script";
  return options.backend ?? options.cli ?? DEFAULT_BACKEND;
}

function toStep(
  agent: string,
  { definition: task, step = agent, dependsOn = [], receivesPreviousOutput }: PlacedTask,
): StepSpec {
  return {
    id: step,
    agent,
    prompt: escapeTemplate(task.task),
    dependsOn,
    ...(task.expects === undefined ? {} : { expects: task.expects }),
    maxAttempts: task.maxAttempts ?? 1,
    retryDelayMs: task.retryDelayMs ?? 0,
    ...(task.timeoutMs === undefined ? {} : { timeoutMs: task.timeoutMs }),
    verify: (task.verify ?? []).map(toVerification),
    fallback: [],
    ...(receivesPreviousOutput === undefined ? {} : { receivesPreviousOutput }),
  };
}

function toVerification(check: VerificationSpec | CommandCheck): VerificationSpec {
  if ("kind" in check) return check;
  const { command, expectExit = 0, timeout } = check;
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout);
  const written = escapeCommand(command);
  return {
    ...{ kind: "command", command: written, expectExit, tellsTests: true },
    ...present({ timeoutMs }),
  };
}

function escapeCommand(command: string | readonly string[]): string | readonly string[] {
  return typeof command === "string" ? escapeTemplate(command) : command.map(escapeTemplate);
}

function escapeValues(env: { readonly [name: string]: string }): {
  readonly [name: string]: string;
} {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, escapeTemplate(value)]),
  );
}
