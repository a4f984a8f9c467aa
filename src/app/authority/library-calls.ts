import type { Machine } from "../machine.ts";
import { resolveRun } from "../run-lookup.ts";
import { isStartedBelow, lookAbove } from "./agent-above.ts";
import type { Authority } from "./authority.ts";
import { callByAgent } from "./call-by-agent.ts";

/**
 * Who may call each function of the library. What a handle of `runWorkflow` or `resumeRun` can do (cancel, decide, send)
 * is for whoever holds it: only the process that carries the run out.
 */
export const LIBRARY_CALLS = {
  compareRuns: "reads",
  createMachine: "reads",
  dag: "own-run",
  defineGuard: "reads",
  defineStepType: "reads",
  fanOut: "own-run",
  forkRun: "person",
  loadWorkflow: "reads",
  pipeline: "own-run",
  readStepResult: "reads",
  rerunRun: "person",
  resumeRun: "person",
  runWorkflow: "own-run",
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
 * The full id of the run that a person's call acts on. Raises RUN_NOT_FOUND, RUN_AMBIGUOUS, and
 * USAGE_CONTROL_BY_AGENT below an agent that has not started it.
 */
export function runForCall(call: PersonalCall, machine: Machine, given: string): string {
  const run = resolveRun(machine.store, given);
  const above = lookAbove();
  if (above === undefined || isStartedBelow(machine, run, above)) return run;
  throw callByAgent("controls", `${call}()`, above);
}

/** Keeps an option that is a person's word, such as `approvals: all`, from what stands below an agent. Raises USAGE_CONTROL_BY_AGENT. */
export function assertPersonsOption(option: string): void {
  const above = lookAbove();
  if (above !== undefined) throw callByAgent("controls", option, above);
}
