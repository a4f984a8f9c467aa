import { configOf } from "../../machine/effective/effective-config.ts";
import { createMachineAt, type MachineOptions } from "../../machine/machine.ts";
import { createWorkflowRegistry, type ProjectWorkflows } from "./workflow-registry.ts";

/** The registry of the project of a directory. Raises RUN_DIRECTORY_OUTSIDE and what configOf raises. */
export async function openRegistry(
  options: Pick<MachineOptions, "cwd" | "env" | "trustsProject">,
): Promise<ProjectWorkflows> {
  const machine = createMachineAt(options);
  return createWorkflowRegistry(machine, await configOf(machine));
}
