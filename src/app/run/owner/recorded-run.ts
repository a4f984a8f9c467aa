import { assertBudget } from "../../../agents/budget/budget-schema.ts";
import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import type { RunConfiguration } from "../../../contracts/events/run-events.ts";
import type { PatternFunctions } from "../../../contracts/pattern-functions.ts";
import type { Program } from "../../../contracts/ports/program.ts";
import type { Journal } from "../../../contracts/ports/store.ts";
import type { RunLimits } from "../../../contracts/run.ts";
import { workflowProgramNotFound } from "../../../engine/errors.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { present } from "../../../foundation/present.ts";
import { NO_CODE, type WorkflowCode } from "../../workflow/code/workflow-code.ts";
import { assertCode } from "../../workflow/plugins/assert-code.ts";
import { shapeOf } from "../../workflow/shapes/registry.ts";
import { readRecipe } from "../../workflow/shapes/run-recipe.ts";
import type { RunToCarryOut } from "./carry-out-options.ts";

/** What may be different when a run goes on. */
export interface RecordedRunOptions {
  /**
   * Limits for the rest of the run, each in place of the one before. After a child of it has stopped it at a limit
   * of its own, they are that child's.
   */
  readonly limits?: RunLimits | undefined;
  /** The program of a run that was started with one of its own. */
  readonly program?: Program<WorkflowDefinition> | undefined;
  /** Step types and guards of one's own, ready. Defaults to none. */
  readonly code?: WorkflowCode | undefined;
  /** As in `CarryOutOptions`. */
  readonly patternFunctions?: PatternFunctions | undefined;
  /** Configuration in place of the recorded one. */
  readonly configuration?: RunConfiguration | undefined;
}

/**
 * A run as its journal has it, ready to go on. Raises LIMIT_INVALID, ENGINE_PROGRAM_NOT_FOUND,
 * WORKFLOW_CODE_MISSING and WORKFLOW_DEFINITION_INVALID.
 */
export async function recordedRun(
  journal: Journal,
  state: RunState,
  options: RecordedRunOptions,
): Promise<RunToCarryOut> {
  const { id, workflow, instance, definitionHash, limits: recorded } = state.run;
  const { code = NO_CODE } = options;
  const recipe = await readRecipe(id, journal.blob(definitionHash));
  await assertCode(id, recipe, { ...code, functions: options.patternFunctions });
  const shape = await shapeOf(recipe.definition, code);
  const program = options.program ?? (await shape.programNamed(state.run.program, code));
  if (program === undefined || program.name !== state.run.program)
    throw workflowProgramNotFound({ run: id, program: state.run.program });
  assertBudget(options.limits?.budget ?? {}, "budget");
  const isOfChild = state.budget.exceeded?.isOfChild === true;
  const own = isOfChild ? undefined : options.limits;
  const limits = limitsFrom(recorded, own);
  return {
    ...{ journal, recipe, program, identity: { id, workflow, instance } },
    beginning: {
      created: undefined,
      limits: own === undefined ? undefined : limits,
      configuration: options.configuration,
    },
    budget: limits.budget ?? {},
    childLimits: isOfChild ? options.limits : undefined,
  };
}

/** The recorded limits with those that replace them, each for itself; of the two of time the one that is given. */
function limitsFrom(recorded: RunLimits, given: RunLimits = {}): RunLimits {
  const { failures, ...raised } = given.budget ?? {};
  const budget = { ...recorded.budget, ...raised };
  const { timeoutMs, ...others } = recorded;
  const isKept = timeoutMs !== undefined && given.budget?.wallClockMs === undefined;
  return {
    ...(isKept ? { timeoutMs } : {}),
    ...others,
    ...given,
    ...present({ failures: failures ?? given.failures ?? recorded.failures }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
  };
}
