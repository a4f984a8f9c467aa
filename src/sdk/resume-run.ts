import type { Resumption } from "../app/run/resume-run.ts";
import type { OwnCode } from "../app/workflow/code/workflow-code.ts";
import type { AgentFunction } from "../contracts/agent-function.ts";
import type { Budget } from "../contracts/budget.ts";
import type { PatternFunctions } from "../contracts/pattern-functions.ts";
import type { RunLimits } from "../contracts/run.ts";
import { audienceRun, createAudience } from "./begin-run.ts";
import {
  assertArgument,
  BARE_NUMBER,
  FLAG,
  FUNCTION,
  mapOf,
  type OptionTable,
  optionsOf,
  TEXT,
} from "./check-options.ts";
import {
  APPROVALS,
  BUDGET_OPTIONS,
  CODE,
  checkOptions,
  HOOKS,
  PATTERN_FUNCTION_OPTIONS,
  PLACE,
  WORKFLOW_OPTIONS,
} from "./option-tables.ts";
import { assertAcceptance, assertApprovals, machineFor, runFor } from "./sdk-machine.ts";
import { type StepAgent, toAgentFunctions } from "./step-agents.ts";
import type { WorkflowOptions } from "./task-definition.ts";

/** How a run goes on. Code is that of your own which it was started with, where no plug-in has it. */
export interface ResumeRunOptions
  extends OwnCode,
    Pick<
      WorkflowOptions,
      | "cwd"
      | "env"
      | "store"
      | "troupe"
      | "approvals"
      | "onMessage"
      | "onAgentDone"
      | "onTaskAugmented"
      | "onReflectionComplete"
      | "onReflect"
      | "scorer"
    > {
  /** The functions that the run was started with, by agent id. */
  readonly functions?: { readonly [agent: string]: AgentFunction };
  /** The same of a step workflow. */
  readonly agents?: { readonly [agent: string]: StepAgent };
  /** The functions of its pattern that the run was started with. */
  readonly patternFunctions?: PatternFunctions;
  /** Limits for the rest of the run, each in place of the one before. */
  readonly limits?: RunLimits;
  /** Short for `limits.budget`. */
  readonly budget?: Budget;
  /** Resumes the run under the configuration as it is now, however it differs. Defaults to false. */
  readonly acceptsConfiguration?: boolean;
}

/**
 * Goes on with a run where its journal ends; a run that is over is told, not repeated. Rejects with
 * RUN_NOT_FOUND, RUN_AMBIGUOUS, RUN_CONFIGURATION_DIFFERS, USAGE_CONTROL_BY_AGENT, LIMIT_INVALID, WORKFLOW_CODE_MISSING, ENGINE_RUN_OWNED, BACKEND_PREFLIGHT_FAILED
 * and STORE_* errors.
 */
export async function resumeRun(run: string, options: ResumeRunOptions = {}): Promise<Resumption> {
  assertArgument(["resumeRun", "run"], TEXT, run);
  checkOptions("resumeRun", RESUMING, options);
  const { functions, agents, budget, limits, ...rest } = options;
  const [{ resumeOnMachine: resume }, machine] = await Promise.all([
    import("../app/run/resume-run.ts"),
    machineFor(options),
  ]);
  const id = await runFor("resumeRun", machine, run);
  await assertApprovals(machine, options);
  if (options.acceptsConfiguration === true) await assertAcceptance(machine);
  const audience = createAudience();
  const resumption = await resume(machine, id, {
    ...rest,
    suspendsWhenWaiting: audience.isMissing,
    limits: limits === undefined && budget === undefined ? undefined : withBudget(limits, budget),
    functions: new Map([...Object.entries(functions ?? {}), ...toAgentFunctions(agents ?? {})]),
  });
  if (resumption.status === "over") return resumption;
  const { run: going } = resumption;
  const starting = Promise.resolve(going);
  return { ...resumption, run: audienceRun(id, { starting, audience, run: going }) };
}

const LIMITS: OptionTable<RunLimits> = {
  ...{ timeoutMs: WORKFLOW_OPTIONS.timeoutMs, budget: BUDGET_OPTIONS },
  failures: BARE_NUMBER,
};

const RESUMING: OptionTable<ResumeRunOptions> = {
  ...CODE,
  ...PLACE,
  ...HOOKS,
  ...{ approvals: APPROVALS, functions: mapOf(FUNCTION), agents: mapOf(FUNCTION) },
  patternFunctions: optionsOf(PATTERN_FUNCTION_OPTIONS),
  ...{ limits: optionsOf(LIMITS), budget: BUDGET_OPTIONS, acceptsConfiguration: FLAG },
};

function withBudget(limits: RunLimits = {}, budget: Budget = {}): RunLimits {
  return { ...limits, budget: { ...limits.budget, ...budget } };
}
