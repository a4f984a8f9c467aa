import type { Machine } from "../app/machine/machine.ts";
import { otherResult, runLetGo } from "../app/run/owner/errors.ts";
import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import { runNotOver } from "../app/runs/errors.ts";
import { isOver } from "../fold/waiting.ts";
import type { BegunRun } from "./begin-run.ts";
import { assertArgument, TEXT } from "./check-options.ts";
import { checkOptions, PLACE } from "./option-tables.ts";
import { machineFor } from "./sdk-machine.ts";
import { type StepWorkflowResult, stepResult } from "./step-result.ts";
import type { WorkflowOptions } from "./task-definition.ts";

/** A run of a step workflow that this process carries out. */
export interface StepWorkflowRun extends Omit<WorkflowRun, "result"> {
  /** Resolves when the run is over, whatever its outcome. Rejects with RUN_LET_GO when it was let go before. */
  readonly result: Promise<StepWorkflowResult>;
}

/** The run of a step workflow, whose result is read off its journal. */
export function toStepRun({ run, machine }: BegunRun): StepWorkflowRun {
  const result = resultOf(run, machine);
  // A caller may watch the events or `parted` alone.
  result.catch(() => {});
  const { id, parted, events, cancel, suspend, broadcast, send, answer, approve, command } = run;
  return {
    ...{ id, parted, events, cancel, suspend, broadcast, send, answer, approve, command },
    get result() {
      // That of the handle settles also when nobody attends; what it is for a pattern is not asked here.
      run.result.catch(() => {});
      return result;
    },
    get agents() {
      return run.agents;
    },
    get state() {
      return run.state;
    },
  };
}

/**
 * The result of a step workflow's run that is over, whoever has carried it out. Rejects with RUN_NOT_FOUND,
 * RUN_AMBIGUOUS, RUN_NOT_OVER, RUN_RESULT_DIFFERS for other workflows, and STORE_* errors.
 */
export async function readStepResult(
  run: string,
  options: Pick<WorkflowOptions, "troupe" | "cwd" | "env" | "store"> = {},
): Promise<StepWorkflowResult> {
  assertArgument(["readStepResult", "run"], TEXT, run);
  checkOptions("readStepResult", PLACE, options);
  const [{ resolveRun }, machine] = await Promise.all([
    import("../app/runs/run-lookup.ts"),
    machineFor(options),
  ]);
  return readJournal(machine, resolveRun(machine.store, run));
}

async function resultOf(
  { id, parted }: WorkflowRun,
  opening: Promise<Machine>,
): Promise<StepWorkflowResult> {
  const parting = await parted;
  if (parting.status === "suspended") throw runLetGo({ run: id, reason: parting.event.reason });
  return readJournal(await opening, id);
}

async function readJournal(machine: Machine, run: string): Promise<StepWorkflowResult> {
  const [{ readRecipe }, { readState }] = await Promise.all([
    import("../app/workflow/shapes/run-recipe.ts"),
    import("../app/runs/run-lookup.ts"),
  ]);
  const state = readState(machine.store, run);
  const { phase } = state;
  if (phase.status !== "ended" || !isOver(state)) throw runNotOver({ run, status: phase.status });
  const journal = machine.store.open(run, "read");
  try {
    const { definition } = await readRecipe(run, journal.blob(state.run.definitionHash));
    if (definition.shape !== "steps") throw otherResult({ run });
    return stepResult({ state, events: journal.read(), definition, end: phase });
  } finally {
    journal.close();
  }
}
