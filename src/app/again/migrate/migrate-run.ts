import { resolve } from "node:path";
import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import { inFormatOf } from "../../../contracts/definition-format.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { sha256 } from "../../../foundation/hash.ts";
import { configOf, withConfiguredBudget } from "../../machine/effective/effective-config.ts";
import type { Machine } from "../../machine/machine.ts";
import { assertOwnPlace } from "../../runs/assert-own-place.ts";
import { inspectRun } from "../../runs/run-lookup.ts";
import { type LoadedFile, loadFile } from "../../workflow/load-file.ts";
import { codeOf } from "../../workflow/plugins/code-of.ts";
import { sealEnvironments } from "../../workflow/sealed-environment.ts";
import { createPatternRunner } from "../../workflow/shapes/pattern-program.ts";
import { shapeOf } from "../../workflow/shapes/registry.ts";
import { type RunRecipe, readRecipe, writeRecipe } from "../../workflow/shapes/run-recipe.ts";
import { dryReplay } from "../dry-replay.ts";
import { readIntact } from "../read-intact.ts";
import { appendToRun } from "../write-run.ts";
import { migrationMismatch, runWithoutFile } from "./errors.ts";

/** The workflow file of a run as it is now. */
export interface CurrentFile {
  readonly state: RunState;
  /** As the run was told it. */
  readonly file: string;
  readonly loaded: LoadedFile;
  readonly recipe: RunRecipe;
}

/**
 * Loads the file that a run was started from, as it is now. Problems of its content are in the result. Raises
 * RUN_NOT_FOUND, RUN_WITHOUT_FILE and what loadFile raises.
 */
export async function loadCurrentFile(machine: Machine, run: string): Promise<CurrentFile> {
  assertOwnPlace(machine, run);
  const state = inspectRun(machine, run);
  const { file, fileHash, cwd, params, definitionHash } = state.run;
  if (file === undefined || file === "-" || fileHash === undefined) throw runWithoutFile({ run });
  const journal = machine.store.open(run, "read");
  try {
    const recipe = await readRecipe(run, journal.blob(definitionHash));
    const { cassette } = recipe;
    const loaded = await loadFile(machine, {
      file: resolve(cwd, file),
      params,
      ...(cassette === undefined ? {} : { cassette: resolve(cwd, cassette.file) }),
    });
    return { state, file, loaded, recipe };
  } finally {
    journal.close();
  }
}

/**
 * Lets a run go on with its file as it is now, if that fits all that is recorded; false when nothing of it has
 * changed. Raises ENGINE_MIGRATION_MISMATCH, ENGINE_RUN_OWNED and STORE_* errors; then nothing was written.
 */
export async function migrateRun(
  machine: Machine,
  { state, file, loaded, recipe }: CurrentFile,
  given: WorkflowDefinition,
): Promise<boolean> {
  const { id: run, program: recorded } = state.run;
  const { settings } = await configOf(machine);
  const code = await codeOf(machine);
  const shape = await shapeOf(given, code);
  // What is recorded was asked for in the language of the run's own format.
  const spoken = inFormatOf(given, recipe.definition);
  const complete = withConfiguredBudget(shape.complete(spoken), settings);
  const definition = await sealEnvironments(complete, machine.secrets, settings.secrets ?? []);
  const { text, hash } = writeRecipe({ ...recipe, definition });
  if (hash === state.run.definitionHash) return false;
  const program = await shape.program(definition, code);
  if (program.name !== recorded)
    throw migrationMismatch({ run, file, seq: 1, recorded, asked: program.name });
  const { events, texts } = readIntact(machine, run);
  const changed = {
    type: "definition-changed",
    ...{ definitionHash: hash, file, fileHash: sha256(loaded.source) },
  } as const;
  const mismatch = await dryReplay({
    ...{ run, program, definition, events },
    runPattern: createPatternRunner(await shape.loadPatterns?.(), code.routes),
    next: changed,
    textOf: (wanted) => texts.get(wanted),
    notes: "type",
  });
  if (mismatch !== undefined) throw migrationMismatch({ run, file, ...mismatch });
  const journal = machine.store.open(run, "write");
  try {
    const { stepTotal } = shape.setup(definition, state.run);
    const event = { ...changed, seq: events.length + 1, at: machine.clock.now() };
    await appendToRun(machine, journal, { events: [event], texts: { [hash]: text }, stepTotal });
    return true;
  } finally {
    journal.close();
  }
}
