import { TroupeError } from "../../foundation/errors.ts";
import type { Machine } from "../machine/machine.ts";
import { foreignReasonOf } from "../runs/assert-own-run.ts";
import { dueMark, isTrajectoryDue, settleTrajectory } from "./due-trajectory.ts";
import { tellRemovedRun, tellRun } from "./told-run.ts";
import { trajectoryPlace } from "./trajectory-place.ts";
import { writeTrajectory } from "./write-trajectory.ts";

// Owns that a run which is to leave a trajectory leaves one.
// T1: before such a run begins, its directory says that a trajectory is due.
// T2: that is taken back only once the file is on the disk; until then every look writes it.
// T3: what is written follows from the journal alone, so that writing it twice is writing it once.
// T4: while the run goes on, only whoever holds it writes; what a dead owner left says how far it was. Whoever goes on
//     with the run makes a new mark, which keeps those from writing that held it before.

/**
 * Writes the trajectory of a run that is over and whose workflow wants one. Raises TRAIL_DIRECTORY_OUTSIDE,
 * TRAIL_UNWRITABLE and what tellRun raises.
 */
export async function keepTrajectory(machine: Machine, run: string): Promise<void> {
  const mark = dueMark(machine, run);
  const { spec, ...told } = await tellRun(machine, run);
  if (told.trajectory.status === "active") return;
  const isStill = () => true;
  if (spec !== undefined)
    await writeTrajectory({ ...told, run, place: trajectoryPlace(machine, spec), isStill });
  settleTrajectory(machine, run, mark);
}

/**
 * Writes how far a run is whose workflow wants a trajectory, for whoever holds it. Does nothing once the run is over, or
 * somebody else has gone on with it meanwhile. Raises what keepTrajectory raises.
 */
export async function renewTrajectory(machine: Machine, run: string): Promise<void> {
  const mark = dueMark(machine, run);
  const { spec, ...told } = await tellRun(machine, run);
  if (spec === undefined || mark === undefined || told.trajectory.status !== "active") return;
  const isStill = () => dueMark(machine, run) === mark;
  await writeTrajectory({ ...told, run, place: trajectoryPlace(machine, spec), isStill });
}

/**
 * Writes the trajectory of a run that is about to be removed, if one is due; a run that is not over is abandoned by that.
 * Raises what keepTrajectory raises.
 */
export async function closeTrajectory(machine: Machine, run: string): Promise<void> {
  if (!isTrajectoryDue(machine, run)) return;
  if (foreignReasonOf(machine.store, run) !== undefined) return;
  const { spec, ...told } = await tellRemovedRun(machine, run);
  if (spec === undefined) return;
  const isStill = () => true;
  await writeTrajectory({ ...told, run, place: trajectoryPlace(machine, spec), isStill });
}

/** Writes all trajectories that are due, and tells why others could not be. */
export async function keepDueTrajectories(machine: Machine): Promise<readonly TroupeError[]> {
  const problems: TroupeError[] = [];
  for (const run of machine.store.list()) {
    if (!isTrajectoryDue(machine, run)) continue;
    try {
      if (foreignReasonOf(machine.store, run) === undefined) await keepTrajectory(machine, run);
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      problems.push(error);
    }
  }
  return problems;
}
