import type { RunState } from "../fold/run-state.ts";
import { builtInPatterns } from "../programs/patterns/registry.ts";
import type { Machine } from "./machine.ts";
import { readRecipe } from "./run-recipe.ts";

/** A step that the definition of a run has, whether it has started or not. */
export interface PlannedStep {
  readonly id: string;
  readonly agent: string;
  /** Ids of steps and barriers that must be over before. */
  readonly dependsOn: readonly string[];
}

/** The steps of a run in the order of its definition. Raises WORKFLOW_DEFINITION_INVALID and STORE_* errors. */
export function plannedSteps(machine: Machine, { run }: RunState): readonly PlannedStep[] {
  const journal = machine.store.open(run.id, "read");
  try {
    const { definition } = readRecipe(run.id, journal.blob(run.definitionHash));
    const { steps, pattern } = definition;
    const isList = builtInPatterns.find(({ name }) => name === pattern)?.order === "list";
    return steps.map(({ id, agent, dependsOn }, index) => {
      const before = isList ? (steps[index - 1]?.id ?? []) : [];
      return { id, agent, dependsOn: [...new Set(dependsOn.concat(before))] };
    });
  } finally {
    journal.close();
  }
}
