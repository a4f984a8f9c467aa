import { existsSync } from "node:fs";
import type { RunConfiguration } from "../../contracts/events/run-events.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { isOver } from "../../fold/waiting.ts";
import { TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { clearLeftovers } from "../machine/leftovers.ts";
import type { Machine } from "../machine/machine.ts";
import { assertOwnPlace } from "../runs/assert-own-place.ts";
import { assertOwnRun } from "../runs/assert-own-run.ts";
import { neverBegan, runMoved } from "../runs/errors.ts";
import { assertNotBelow } from "../runs/families/assert-not-below.ts";
import { inspectRun, resolveRun } from "../runs/run-lookup.ts";
import { isTrajectoryDue } from "../trail/due-trajectory.ts";
import type { OwnCode } from "../workflow/code/workflow-code.ts";
import { codeOf } from "../workflow/plugins/code-of.ts";
import { readRecipe } from "../workflow/shapes/run-recipe.ts";
import { carryOut } from "./carry-out.ts";
import { suspendUnowned } from "./hold-unowned.ts";
import type { CarryOutOptions } from "./owner/carry-out-options.ts";
import { configurationDiffers } from "./owner/errors.ts";
import { type RecordedRunOptions, recordedRun } from "./owner/recorded-run.ts";
import { assertConfiguration } from "./owner/run-configuration.ts";
import type { WorkflowRun } from "./owner/workflow-run.ts";

/** How a run goes on. */
export interface ResumeOptions
  extends OwnCode,
    Omit<CarryOutOptions, "code">,
    Omit<RecordedRunOptions, "code" | "configuration"> {
  /** Resumes the run under the configuration as it is now, however it differs. Defaults to false. */
  readonly acceptsConfiguration?: boolean | undefined;
}

/** What resuming came to: the run is over already, or it goes on. */
export type Resumption =
  | { readonly status: "over"; readonly state: RunState }
  | { readonly status: "resumed"; readonly run: WorkflowRun };

/**
 * Goes on with a run where its journal ends. A run that is over is told, not repeated. Raises RUN_NOT_FOUND,
 * RUN_CONFIGURATION_DIFFERS, RUN_AMBIGUOUS, RUN_NEVER_BEGAN, RUN_FOREIGN, RUN_HAS_PARENT, LIMIT_INVALID, RUN_MOVED, ENGINE_PROGRAM_NOT_FOUND,
 * WORKFLOW_CODE_MISSING and what codeOf and carryOut raise.
 */
export async function resumeOnMachine(
  machine: Machine,
  target: string,
  options: ResumeOptions = {},
): Promise<Resumption> {
  const id = resolveRun(machine.store, target);
  const state = inspectRun(machine, id);
  if (isOver(state)) {
    await keepLeftOver(machine, id);
    return { status: "over", state };
  }
  if (state.lastSeq === 0) throw neverBegan({ run: id });
  assertOwnRun(machine.store, id);
  assertOwnPlace(machine, id);
  assertNotBelow(machine.store, state);
  const { cwd } = state.run;
  // A run that was imported, or whose project has moved: every step would fail for want of a directory.
  if (machine.keepsFiles && !existsSync(cwd)) throw runMoved({ run: id, cwd });
  // What a dead owner left running must not work beside what is started again.
  if (machine.keepsFiles) await clearLeftovers(machine);
  // Before plug-ins are loaded: one that has changed would run.
  const configuration = await checkConfiguration(machine, state, options.acceptsConfiguration);
  const given = { ...options, configuration, code: await codeOf(machine, options) };
  const journal = machine.store.open(id, "write");
  try {
    const run = await carryOut(machine, await recordedRun(journal, state, given), given);
    return { status: "resumed", run };
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** The owner of a run may have died between its end and the file that tells of it. */
async function keepLeftOver(machine: Machine, run: string): Promise<void> {
  if (!isTrajectoryDue(machine, run)) return;
  const { keepUnlessRefused } = await import("../trail/run-trail.ts");
  await keepUnlessRefused(machine, run);
}

/** What the run is resumed with, if that is not what it began with; else the run is suspended with the difference. */
async function checkConfiguration(
  machine: Machine,
  { run: { id, configuration: recorded, definitionHash, cwd } }: RunState,
  acceptsChanges = false,
): Promise<RunConfiguration | undefined> {
  if (recorded === undefined) return undefined;
  const journal = machine.store.open(id, "read");
  try {
    const { definition } = await readRecipe(id, journal.blob(definitionHash));
    const compared = { run: id, recorded, definition, cwd };
    return await assertConfiguration(machine, compared, acceptsChanges);
  } catch (error) {
    const isRefused = error instanceof TroupeError && error.code === configurationDiffers.code;
    if (isRefused) await suspendUnowned(machine, id, toErrorReport(error));
    throw error;
  } finally {
    journal.close();
  }
}
