import type { WorkflowDefinition } from "../../contracts/definition.ts";
import { configOf, withConfiguredBudget } from "../machine/effective/effective-config.ts";
import type { Machine } from "../machine/machine.ts";
import type { OwnCode } from "../workflow/code/workflow-code.ts";
import { codeOf } from "../workflow/plugins/code-of.ts";
import { sealEnvironments } from "../workflow/sealed-environment.ts";
import { shapeOf } from "../workflow/shapes/registry.ts";
import { carryOut } from "./carry-out.ts";
import type { CarryOutOptions } from "./owner/carry-out-options.ts";
import { type NewRunOptions, newRun } from "./owner/new-run.ts";
import type { WorkflowRun } from "./owner/workflow-run.ts";

/** What a new run is started with. */
export interface StartOptions
  extends OwnCode,
    Omit<CarryOutOptions, "code">,
    Omit<NewRunOptions, "parent" | "cwd" | "code"> {}

/**
 * Starts a run of a definition. Raises what carryOut and codeOf raise, RUN_DIRECTORY_UNWRITABLE, LIMIT_INVALID,
 * WORKFLOW_CODE_MISSING and WORKFLOW_UNKNOWN_PATTERN.
 */
export async function startRun(
  machine: Machine,
  given: WorkflowDefinition,
  options: StartOptions = {},
): Promise<WorkflowRun> {
  const { settings } = await configOf(machine);
  const code = await codeOf(machine, options);
  const shape = await shapeOf(given, code);
  const complete = withConfiguredBudget(shape.complete(given), settings);
  const definition = await sealEnvironments(complete, machine.secrets, settings.secrets ?? []);
  const run = await newRun(machine, definition, { ...options, code });
  return carryOut(machine, run, { ...options, code }).catch((error: unknown) => {
    // Nothing was started, so nothing is left behind.
    machine.store.remove(run.journal.run);
    throw error;
  });
}
