import { clearLeftovers } from "../app/leftovers.ts";
import { createMachine, type Machine } from "../app/machine.ts";
import type { Invocation } from "./command.ts";
import { reportWarning } from "./report-error.ts";

/**
 * The machine that a command works on, freed of what dead owners left running. Raises
 * RUN_DIRECTORY_NOT_FOUND, RUN_DIRECTORY_OUTSIDE.
 */
export async function openMachine({
  io,
  settings,
}: Pick<Invocation, "io" | "settings">): Promise<Machine> {
  const machine = createMachine({ cwd: settings.cwd, env: io.env });
  try {
    await clearLeftovers(machine);
  } catch (error) {
    // What resists to be ended must not keep anybody from looking at runs.
    reportWarning(error, io, settings);
  }
  return machine;
}
