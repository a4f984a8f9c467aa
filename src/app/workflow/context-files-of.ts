import type { ContextFiles } from "../../contracts/context-files.ts";
import type { Journal, RunStore } from "../../contracts/ports/store.ts";
import { foldAll } from "../../fold/fold.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { shapeOf } from "./shapes/registry.ts";
import { readRecipe } from "./shapes/run-recipe.ts";

/** Where a run mirrors what is said in it; undefined too where this version cannot read what was planned. */
export function plannedContextFiles(
  journal: Pick<Journal, "blob">,
  { run }: RunState,
): ContextFiles | undefined {
  try {
    const { definition } = readRecipe(run.id, journal.blob(run.definitionHash));
    const { id, workflow, instance } = run;
    return shapeOf(definition).setup(definition, { id, workflow, instance }).contextFiles;
  } catch (error) {
    if (error instanceof TroupeError && error.code.startsWith("WORKFLOW_")) return undefined;
    throw error;
  }
}

/** The same of a run in a store. Raises RUN_NOT_FOUND and STORE_* errors. */
export function contextFilesOfRun(store: RunStore, run: string): ContextFiles | undefined {
  const journal = store.open(run, "read");
  try {
    return plannedContextFiles(journal, foldAll(run, journal.read()));
  } finally {
    journal.close();
  }
}
