import type { ContextFiles } from "../../contracts/context-files.ts";
import type { Journal, RunStore } from "../../contracts/ports/store.ts";
import { foldAll } from "../../fold/fold.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { shapeOf } from "./shapes/registry.ts";
import { readRecipe } from "./shapes/run-recipe.ts";

/** Where a run mirrors what is said in it; undefined too where this version cannot read what was planned. */
export async function plannedContextFiles(
  journal: Pick<Journal, "blob">,
  { run }: RunState,
): Promise<ContextFiles | undefined> {
  try {
    const { definition } = await readRecipe(run.id, journal.blob(run.definitionHash));
    const { id, workflow, instance } = run;
    const shape = await shapeOf(definition);
    return shape.setup(definition, { id, workflow, instance }).contextFiles;
  } catch (error) {
    if (error instanceof TroupeError && error.code.startsWith("WORKFLOW_")) return undefined;
    throw error;
  }
}

/** The same of a run in a store. Raises RUN_NOT_FOUND and STORE_* errors. */
export async function contextFilesOfRun(
  store: RunStore,
  run: string,
): Promise<ContextFiles | undefined> {
  const journal = store.open(run, "read");
  try {
    return await plannedContextFiles(journal, foldAll(run, journal.read()));
  } finally {
    journal.close();
  }
}
