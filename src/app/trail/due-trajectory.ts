import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Machine } from "../machine/machine.ts";

const PRIVATE = 0o600;

/** Says that a trajectory of a run is due, before the run begins or goes on. Raises errors of the system. */
export function expectTrajectory(machine: Machine, run: string): void {
  writeFileSync(dueFile(machine, run), machine.newKey(), { mode: PRIVATE, flush: true });
}

/** Whether a trajectory of a run has yet to be written. */
export function isTrajectoryDue(machine: Machine, run: string): boolean {
  return machine.keepsFiles && existsSync(dueFile(machine, run));
}

/** What tells one time that a trajectory is due from others; undefined when none is. */
export function dueMark(machine: Machine, run: string): string | undefined {
  return isTrajectoryDue(machine, run) ? readFileSync(dueFile(machine, run), "utf8") : undefined;
}

/** Takes back that a trajectory is due, unless the run has gone on since: then another one is. */
export function settleTrajectory(machine: Machine, run: string, mark: string | undefined): void {
  if (mark === dueMark(machine, run)) rmSync(dueFile(machine, run), { force: true });
}

function dueFile({ project }: Machine, run: string): string {
  return join(project.runsDirectory, run, "trajectory-due");
}
