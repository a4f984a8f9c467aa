import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Trajectory } from "../../contracts/trajectory.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { reasonOf } from "../../host/system/system-error.ts";
import { MirrorDirectory } from "../../messaging/mirrors/mirror-directory.ts";
import type { Machine } from "../machine/machine.ts";
import { foreignReasonOf } from "../runs/assert-own-run.ts";
import { dueMark, isTrajectoryDue, settleTrajectory } from "./due-trajectory.ts";
import { trailUnwritable } from "./errors.ts";
import { tellRun } from "./told-run.ts";
import { type TrajectoryPlace, trajectoryPlace } from "./trajectory-place.ts";
import { trajectoryText } from "./trajectory-text.ts";

// Owns that a run which is to leave a trajectory leaves one.
// T1: before such a run begins, its directory says that a trajectory is due.
// T2: that is taken back only once the file is on the disk; until then every look writes it.
// T3: what is written follows from the journal alone, so that writing it twice is writing it once.

/**
 * Writes the trajectory of a run that is over and whose workflow wants one. Raises TRAIL_DIRECTORY_OUTSIDE,
 * TRAIL_UNWRITABLE and what tellRun raises.
 */
export async function keepTrajectory(machine: Machine, run: string): Promise<void> {
  const mark = dueMark(machine, run);
  const { trajectory, spec } = await tellRun(machine, run);
  if (trajectory.status === "active") return;
  if (spec !== undefined)
    await writeTrajectory(trajectory, { run, place: trajectoryPlace(machine, spec) });
  settleTrajectory(machine, run, mark);
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

async function writeTrajectory(
  trajectory: Trajectory,
  { run, place }: { readonly run: string; readonly place: TrajectoryPlace },
): Promise<void> {
  const { id, completedAt = trajectory.startedAt } = trajectory;
  const completed = join(place.directory, "completed");
  const path = join(completed, completedAt.slice(0, "YYYY-MM".length), id);
  const directory = new MirrorDirectory(path, place.root);
  try {
    // Whoever reads trajectories goes by the JSON file: it is the last one.
    await directory.replace("summary.md", [trajectoryText(trajectory, "md")]);
    await directory.replace("trajectory.json", [trajectoryText(trajectory, "json")]);
    removeEarlier(completed, { id, path });
  } catch (error) {
    const problem = error instanceof TroupeError ? error.message : reasonOf(error);
    throw trailUnwritable({ run, path, problem }, { cause: error });
  }
}

/** A run that went on after its end, such as one at a limit, ends again, maybe in another month. */
function removeEarlier(
  completed: string,
  { id, path }: { readonly id: string; readonly path: string },
): void {
  for (const month of readdirSync(completed, { withFileTypes: true })) {
    const other = join(completed, month.name, id);
    if (month.isDirectory() && other !== path) rmSync(other, { recursive: true, force: true });
  }
}
