import { lookAbove } from "../machine/agent-above.ts";
import type { Machine, MachineOptions } from "../machine/machine.ts";
import { resolveRun } from "../runs/run-lookup.ts";
import type { Authority } from "./authority.ts";
import { isStartedBelow } from "./authority.ts";
import { refuseCall } from "./refuse-call.ts";

/**
 * Who may call each function of the library. What a handle of `runWorkflow` or `resumeRun` can do (cancel, decide, send)
 * is for whoever holds it: only the process that carries the run out.
 */
export const LIBRARY_CALLS = {
  AgentExecutor: "own-run",
  auction: "own-run",
  cascade: "own-run",
  collab: "own-run",
  compareRuns: "reads",
  consensus: "own-run",
  createMachine: "reads",
  dag: "own-run",
  debate: "own-run",
  defineBackend: "reads",
  defineGuard: "reads",
  defineModel: "reads",
  definePattern: "reads",
  defineStepType: "reads",
  defineTool: "reads",
  fanOut: "own-run",
  forkRun: "person",
  gossip: "own-run",
  handoff: "own-run",
  hierarchical: "own-run",
  hubAndSpoke: "own-run",
  iterate: "own-run",
  loadWorkflow: "reads",
  mesh: "own-run",
  pipeline: "own-run",
  pool: "own-run",
  readIterativeResult: "reads",
  readStepResult: "reads",
  rerunRun: "person",
  resumeRun: "person",
  runWorkflow: "own-run",
  team: "own-run",
  toErrorReport: "reads",
  toWireEvent: "reads",
  workflow: "own-run",
} as const satisfies { readonly [name: string]: Authority };

/** A function that is a person's. */
export type PersonalCall = {
  readonly [Name in keyof typeof LIBRARY_CALLS]: (typeof LIBRARY_CALLS)[Name] extends "person"
    ? Name
    : never;
}[keyof typeof LIBRARY_CALLS];

/**
 * The full id of the run that a person's call acts on. Rejects with RUN_NOT_FOUND, RUN_AMBIGUOUS, and
 * USAGE_CONTROL_BY_AGENT below an agent that has not started it.
 */
export async function runForCall(
  call: PersonalCall,
  machine: Machine,
  given: string,
): Promise<string> {
  const { project, env } = machine;
  const run = resolveRun(machine.store, given);
  const above = lookAbove();
  if (above === undefined || isStartedBelow(machine, run, above)) return run;
  return refuseCall({ act: "controls", command: `${call}()`, above }, { cwd: project.cwd, env });
}

/** Keeps an option that is a person's word, such as `approvals: all`, from what stands below an agent. Rejects with USAGE_CONTROL_BY_AGENT. */
export async function assertPersonsOption(option: string, place: MachineOptions): Promise<void> {
  const above = lookAbove();
  if (above !== undefined) await refuseCall({ act: "controls", command: option, above }, place);
}
