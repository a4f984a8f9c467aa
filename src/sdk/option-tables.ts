import type { OwnCode } from "../app/workflow/code/workflow-code.ts";
import { optionUnused } from "../app/workflow/shapes/errors.ts";
import type { AgentSpec } from "../contracts/agent.ts";
import type { Budget } from "../contracts/budget.ts";
import type { ConversationBounds } from "../contracts/definition.ts";
import type { PatternFunctions } from "../contracts/pattern-functions.ts";
import type { StigmergySpec } from "../contracts/stigmergy.ts";
import type { WrittenReflection } from "../workflows/resolve/resolve-reflection.ts";
import type { TrajectoryOptions } from "../workflows/resolve/resolve-trajectory.ts";
import {
  AMOUNT,
  assertArgument,
  BARE_NUMBER,
  ENVIRONMENT,
  either,
  FLAG,
  FUNCTION,
  JSON_VALUE,
  listOf,
  MACHINE,
  mapOf,
  NUMBER,
  OBJECT,
  type OptionKind,
  type OptionTable,
  oneOf,
  optionsOf,
  required,
  TEXT,
} from "./check-options.ts";
import type { MemberTask, TalkOptions } from "./talk-definition.ts";
import type { ShadowOptions, TaskDefinition, WorkflowOptions } from "./task-definition.ts";

// The kinds of the options that several functions of the library share. What a kind leaves open, such as the range of a
// number, is checked where the workflow is.

const BUDGET: OptionTable<Budget> = {
  ...{ cost: BARE_NUMBER, tokens: BARE_NUMBER, turns: BARE_NUMBER, messages: BARE_NUMBER },
  ...{ agents: BARE_NUMBER, handoffs: BARE_NUMBER, wallClockMs: BARE_NUMBER, soft: BARE_NUMBER },
  failures: BARE_NUMBER,
};
export const BUDGET_OPTIONS = optionsOf(BUDGET);

const TRAJECTORY: OptionTable<TrajectoryOptions> = {
  ...{ enabled: FLAG, agentName: TEXT, dataDir: TEXT, learnFrom: FLAG },
  taskSource: optionsOf({ system: required(TEXT), id: required(TEXT), url: TEXT }),
  ...{ autoRecordMessages: FLAG, autoRecordReflections: FLAG },
};

const REFLECTION: OptionTable<WrittenReflection> = {
  ...{ enabled: FLAG, threshold: NUMBER, reflector: TEXT, prompt: TEXT, scorer: TEXT },
};

const STIGMERGY: OptionTable<StigmergySpec> = {
  ...{ namespace: TEXT, decayRate: NUMBER, minThreshold: NUMBER },
  reinforcement: oneOf("additive", "multiplicative", "max"),
};

const BOUNDS: OptionTable<ConversationBounds> = {
  ...{ turnsPerAgent: NUMBER, messages: NUMBER, pingPong: NUMBER },
};

const SHADOW: OptionTable<ShadowOptions> = {
  task: required(TEXT),
  ...{ backend: TEXT, cli: TEXT, model: TEXT, script: listOf(JSON_VALUE), of: listOf(TEXT) },
  ...{ receiveIncoming: FLAG, receiveOutgoing: FLAG, speakOn: listOf(TEXT) },
};

/** Which machine and project a call is about. */
export const PLACE: OptionTable<Pick<WorkflowOptions, "troupe" | "cwd" | "env" | "store">> = {
  ...{ troupe: MACHINE, cwd: TEXT, env: ENVIRONMENT },
  store: oneOf("files", "memory"),
};

/** Functions that a run calls while it goes on. */
export const HOOKS: OptionTable<
  Pick<
    WorkflowOptions,
    | "onMessage"
    | "onAgentDone"
    | "onTaskAugmented"
    | "onReflectionComplete"
    | "onReflect"
    | "scorer"
  >
> = {
  ...{ onMessage: FUNCTION, onAgentDone: FUNCTION, onTaskAugmented: FUNCTION },
  ...{ onReflectionComplete: FUNCTION, onReflect: FUNCTION, scorer: FUNCTION },
};

export const APPROVALS = oneOf("ask", "all", "none");

/** Code of one's own: what is in a declaration is checked where it is used. */
export const CODE: OptionTable<OwnCode> = {
  ...{ stepTypes: listOf(OBJECT), guards: listOf(OBJECT), patterns: listOf(OBJECT) },
  ...{ backends: listOf(OBJECT), routes: listOf(OBJECT) },
};

/** Functions that patterns ask. */
export const PATTERN_FUNCTION_OPTIONS: OptionTable<PatternFunctions> = {
  ...{ evaluator: FUNCTION, stateExtractor: FUNCTION, stateMerger: FUNCTION },
  ...{ convergenceTest: FUNCTION, fitnessExtractor: FUNCTION, mutateTask: FUNCTION },
};

/** What all patterns take. */
export const WORKFLOW_OPTIONS: OptionTable<WorkflowOptions> = {
  ...PLACE,
  ...HOOKS,
  ...{ backend: TEXT, cli: TEXT, name: TEXT, timeoutMs: AMOUNT, budget: BUDGET_OPTIONS },
  ...{ channel: TEXT, shadow: optionsOf(SHADOW), stigmergy: optionsOf(STIGMERGY) },
  ...{ reflection: optionsOf(REFLECTION), reflectionThreshold: NUMBER },
  ...{ trajectory: optionsOf(TRAJECTORY), maxConcurrency: AMOUNT },
  ...{ approvals: APPROVALS, backends: CODE.backends },
};

/** What patterns take that give turns themselves. */
export const TALK_OPTIONS: OptionTable<TalkOptions> = {
  ...WORKFLOW_OPTIONS,
  ...{ maxAttempts: AMOUNT, retryDelayMs: AMOUNT, turnTimeoutMs: AMOUNT },
  bounds: optionsOf(BOUNDS),
};

/** One agent of a pattern that gives turns itself. */
export const MEMBER: OptionTable<MemberTask> = {
  task: required(TEXT),
  ...{ name: TEXT, backend: TEXT, cli: TEXT, run: FUNCTION },
  command: either(TEXT, listOf(TEXT)),
  ...{ args: listOf(TEXT), script: listOf(JSON_VALUE), model: TEXT, env: mapOf(TEXT) },
  ...{ channels: listOf(TEXT), budget: BUDGET_OPTIONS, limits: mapOf(NUMBER) },
};

/** One task and its agent. */
export const TASK: OptionTable<TaskDefinition> = {
  ...MEMBER,
  ...{ expects: TEXT, maxAttempts: AMOUNT, retryDelayMs: AMOUNT, timeoutMs: AMOUNT },
  verify: listOf(JSON_VALUE),
};

/** The same where the goal of all is its task. */
export const TASKLESS_MEMBER: OptionTable<Omit<MemberTask, "task">> = withoutTask(MEMBER);

/** A table without the task. */
export function withoutTask<Table extends { readonly task: OptionKind }>({
  task: _task,
  ...others
}: Table): Omit<Table, "task"> {
  return others;
}

/** What an executor says of its agent. */
export const LOOP: OptionTable<
  Pick<
    AgentSpec,
    | "maxTurns"
    | "permissionMode"
    | "mcpServers"
    | "autoApprovePlanMode"
    | "effort"
    | "maxOutputTokens"
  >
> = {
  ...{ maxTurns: AMOUNT, permissionMode: TEXT, mcpServers: mapOf(JSON_VALUE) },
  ...{ autoApprovePlanMode: FLAG, effort: TEXT, maxOutputTokens: AMOUNT },
};

/** A member of a pattern, under the name that the pattern has for its role. */
export const ONE_MEMBER = optionsOf(MEMBER);
export const MEMBERS = required(listOf(ONE_MEMBER));

/**
 * Refuses options that a function does not know, that are of another kind, or that others leave without effect. Raises
 * SDK_OPTION_UNKNOWN, SDK_OPTION_INVALID, SDK_OPTION_UNUSED, VALUE_NOT_JSON.
 */
export function checkOptions<Options>(
  call: string,
  table: OptionTable<Options>,
  options: unknown,
): void {
  assertArgument([call, "options"], optionsOf(kindsIn(table)), options);
  assertEffective(call, new Map(Object.entries(Object(options))));
}

function kindsIn<Options>(table: OptionTable<Options>): { readonly [name: string]: OptionKind } {
  return Object.fromEntries(Object.entries<OptionKind>(table));
}

/** Refuses tasks with two programs: one of them would never be asked. */
export function assertPrograms(
  call: string,
  tasks: readonly Partial<Pick<TaskDefinition, "run" | "command" | "script" | "args" | "name">>[],
): void {
  for (const [index, task] of tasks.entries()) {
    const [first, second] = (["run", "command", "script"] as const).filter(
      (key) => task[key] !== undefined,
    );
    const of = task.name === undefined ? `of agent ${index + 1}` : `of "${task.name}"`;
    if (first !== undefined && second !== undefined)
      throw optionUnused({ call, option: second, why: `the ${first} ${of} is its program` });
    if (task.args !== undefined && task.command === undefined)
      throw optionUnused({ call, option: "args", why: `there is no command ${of}` });
  }
}

/** What names the place of a run once more than its machine does, and what has nowhere to be kept. */
function assertEffective(call: string, given: ReadonlyMap<string, unknown>): void {
  const refuse = (option: string, why: string) => {
    throw optionUnused({ call, option, why });
  };
  const isGiven = (name: string) => given.get(name) !== undefined;
  if (isGiven("troupe"))
    for (const name of ["cwd", "env", "store"])
      if (isGiven(name)) refuse(name, "the machine of `troupe` decides on it");
  if (isGiven("cli") && isGiven("backend") && given.get("cli") !== given.get("backend"))
    refuse("cli", "it is another name for `backend`, which is given too");
  if (given.get("store") === "memory" && isOn(given.get("trajectory")))
    refuse("trajectory", "a run in memory leaves no files");
}

function isOn(trajectory: unknown): boolean {
  return typeof trajectory === "object" && trajectory !== null && !isOff(trajectory);
}

function isOff(trajectory: object): boolean {
  return "enabled" in trajectory && trajectory.enabled === false;
}
