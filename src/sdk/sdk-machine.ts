import type { PersonalCall } from "../app/authority/library-calls.ts";
import type { Machine, MachineOptions } from "../app/machine/machine.ts";
import { present } from "../foundation/present.ts";
import { CLOCK, FLAG, FUNCTION, type OptionTable } from "./check-options.ts";
import { checkOptions, PLACE } from "./option-tables.ts";
import type { WorkflowOptions } from "./task-definition.ts";

/**
 * This process, its project and its store, to share between calls. Touches no file. Rejects with
 * RUN_DIRECTORY_OUTSIDE, and with USAGE_CONTROL_BY_AGENT where an agent trusts a project.
 */
export async function createMachine(options: MachineOptions = {}): Promise<Machine> {
  checkOptions("createMachine", MACHINE, options);
  const machine = await import("../app/machine/machine.ts");
  if (options.trustsProject === true) await assertOption("trustsProject", options);
  return machine.createMachineAt(options);
}

const { troupe: _, ...OWN_PLACE } = PLACE;

const MACHINE: OptionTable<MachineOptions> = {
  ...OWN_PLACE,
  ...{ clock: CLOCK, trustsProject: FLAG, onWait: FUNCTION },
};

/** The machine that an SDK call works on: the one it was given, or a new one. */
export async function machineFor({
  troupe,
  cwd,
  env,
  store,
}: Pick<WorkflowOptions, "troupe" | "cwd" | "env" | "store">): Promise<Machine> {
  if (troupe !== undefined) return troupe;
  return createMachine(present({ cwd, env, store }));
}

/** The full id of the run that a person's call acts on. Rejects with what runForCall raises. */
export async function runFor(call: PersonalCall, machine: Machine, given: string): Promise<string> {
  const { runForCall } = await import("../app/authority/library-calls.ts");
  return runForCall(call, machine, given);
}

/** That all approvals are decided beforehand is a person's word, but where nothing is kept. Rejects with USAGE_CONTROL_BY_AGENT. */
export async function assertApprovals(
  machine: Machine,
  { approvals = "ask" }: { readonly approvals?: WorkflowOptions["approvals"] | undefined },
): Promise<void> {
  if (approvals !== "ask" && machine.keepsFiles)
    await assertOption(`approvals: ${approvals}`, placeOf(machine));
}

/** That another configuration is accepted is a person's word. Rejects with USAGE_CONTROL_BY_AGENT. */
export async function assertAcceptance(machine: Machine): Promise<void> {
  await assertOption("acceptsConfiguration", placeOf(machine));
}

function placeOf({ project, env }: Machine): MachineOptions {
  return { cwd: project.cwd, env };
}

async function assertOption(option: string, place: MachineOptions): Promise<void> {
  const { assertPersonsOption } = await import("../app/authority/library-calls.ts");
  await assertPersonsOption(option, place);
}
