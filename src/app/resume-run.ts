import { existsSync } from "node:fs";
import { assertBudget } from "../agents/budget/check-budget.ts";
import type { WorkflowDefinition } from "../contracts/definition.ts";
import type { Program } from "../contracts/program.ts";
import type { RunLimits } from "../contracts/run.ts";
import { programNotFound } from "../engine/errors.ts";
import type { RunState } from "../fold/run-state.ts";
import { isOver } from "../fold/waiting.ts";
import { type CarryOutOptions, carryOut } from "./carry-out.ts";
import { neverBegan, runMoved } from "./errors.ts";
import { clearLeftovers } from "./leftovers.ts";
import type { Machine } from "./machine.ts";
import { readState, resolveRun } from "./run-lookup.ts";
import { readRecipe } from "./run-recipe.ts";
import { programNamed } from "./shapes/registry.ts";
import type { WorkflowRun } from "./workflow-run.ts";

/** How a run goes on. */
export interface ResumeOptions extends CarryOutOptions {
  /** Limits for the rest of the run, each in place of the one before. */
  readonly limits?: RunLimits;
  /** The program of a run that was started with one of its own. */
  readonly program?: Program<WorkflowDefinition>;
}

/** What resuming came to: the run is over already, or it goes on. */
export type Resumption =
  | { readonly status: "over"; readonly state: RunState }
  | { readonly status: "resumed"; readonly run: WorkflowRun };

/**
 * Goes on with a run where its journal ends. A run that is over is told, not repeated. Raises RUN_NOT_FOUND,
 * RUN_AMBIGUOUS, RUN_NEVER_BEGAN, LIMIT_INVALID, RUN_MOVED, ENGINE_PROGRAM_NOT_FOUND and what carryOut raises.
 */
export async function resumeRun(
  machine: Machine,
  given: string,
  options: ResumeOptions = {},
): Promise<Resumption> {
  const id = resolveRun(machine.store, given);
  const state = inspectRun(machine, id);
  if (isOver(state)) return { status: "over", state };
  if (state.lastSeq === 0) throw neverBegan({ run: id });
  const { cwd } = state.run;
  // A run that was imported, or whose project has moved: every step would fail for want of a directory.
  if (machine.keepsFiles && !existsSync(cwd)) throw runMoved({ run: id, cwd });
  // What a dead owner left running must not work beside what is started again.
  if (machine.keepsFiles) await clearLeftovers(machine);
  const program = options.program ?? programNamed(state.run.program);
  if (program === undefined || program.name !== state.run.program) {
    throw programNotFound({ run: id, program: state.run.program });
  }
  const journal = machine.store.open(id, "write");
  try {
    const recipe = readRecipe(id, journal.blob(state.run.definitionHash));
    const limits = limitsFrom(state.run.limits, options.limits);
    const changed = options.limits === undefined ? {} : { limits };
    const { budget = {} } = limits;
    const { workflow, instance } = state.run;
    const identity = { id, workflow, instance };
    const run = await carryOut(
      machine,
      { journal, recipe, program, identity, budget, ...changed },
      options,
    );
    return { status: "resumed", run };
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** The recorded limits with those that replace them, each for itself; of the two of time the one that is given. */
function limitsFrom(recorded: RunLimits, given: RunLimits = {}): RunLimits {
  assertBudget(given.budget ?? {}, "budget");
  const budget = { ...recorded.budget, ...given.budget };
  const { timeoutMs, ...others } = recorded;
  const isKept = timeoutMs !== undefined && given.budget?.wallClockMs === undefined;
  return {
    ...(isKept ? { timeoutMs } : {}),
    ...others,
    ...given,
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
  };
}

/** The state of a run, read without owning it. Raises RUN_NOT_FOUND and STORE_* errors. */
export function inspectRun(machine: Machine, id: string): RunState {
  return readState(machine.store, id);
}
