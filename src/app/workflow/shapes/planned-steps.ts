import type { RunState } from "../../../fold/state/run-state.ts";
import type { Machine } from "../../machine/machine.ts";
import { shapeOf } from "./registry.ts";
import { readRecipe } from "./run-recipe.ts";
import type { OrderedStep } from "./shape.ts";

/** The steps that the definition of a run has, whether they have started or not, in its order. Raises WORKFLOW_DEFINITION_INVALID and STORE_* errors. */
export function plannedSteps(machine: Machine, { run }: RunState): readonly OrderedStep[] {
  const journal = machine.store.open(run.id, "read");
  try {
    const { definition } = readRecipe(run.id, journal.blob(run.definitionHash));
    return shapeOf(definition).ordered(definition);
  } finally {
    journal.close();
  }
}
