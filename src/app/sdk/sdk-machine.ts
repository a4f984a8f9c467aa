import type { Machine, MachineOptions } from "../machine.ts";
import type { WorkflowOptions } from "./task-definition.ts";

/**
 * This process, its project and its store, to share between calls. Touches no file. Rejects with
 * RUN_DIRECTORY_OUTSIDE.
 */
export async function createMachine(options: MachineOptions = {}): Promise<Machine> {
  const machine = await import("../machine.ts");
  return machine.createMachine(options);
}

/** The machine that an SDK call works on: the one it was given, or a new one. */
export async function machineFor({
  troupe,
  cwd,
  env,
  store,
}: Pick<WorkflowOptions, "troupe" | "cwd" | "env" | "store">): Promise<Machine> {
  if (troupe !== undefined) return troupe;
  return createMachine({
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    ...(store === undefined ? {} : { store }),
  });
}
