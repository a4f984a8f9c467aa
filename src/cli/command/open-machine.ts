import { clearLeftovers } from "../../app/machine/leftovers.ts";
import { createMachineAt, type Machine } from "../../app/machine/machine.ts";
import type { TroupeError } from "../../foundation/errors.ts";
import type { Invocation } from "./command.ts";
import { reportWarning } from "./report-error.ts";

/**
 * The machine that a command works on, freed of what dead owners left running. Raises
 * RUN_DIRECTORY_NOT_FOUND, RUN_DIRECTORY_OUTSIDE.
 */
export async function openMachine(
  invocation: Pick<Invocation, "io" | "options" | "settings">,
): Promise<Machine> {
  const { io, settings } = invocation;
  const machine = lookAtMachine(invocation);
  try {
    await clearLeftovers(machine);
  } catch (error) {
    // What resists to be ended must not keep anybody from looking at runs.
    reportWarning(error, io, settings);
  }
  return machine;
}

/** The machine for a command that changes nothing on it. Raises what openMachine raises. */
export function lookAtMachine({
  io,
  options,
  settings,
}: Pick<Invocation, "io" | "options" | "settings">): Machine {
  const trustsProject = options["trust"] === true;
  const onWait = (notice: TroupeError) => reportWarning(notice, io, settings);
  return createMachineAt({ cwd: settings.cwd, env: io.env, trustsProject, onWait });
}
