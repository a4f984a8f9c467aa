import type { Trajectory } from "../../contracts/trajectory.ts";
import { TroupeError } from "../../foundation/errors.ts";
import type { Machine } from "../machine/machine.ts";
import { resolveTarget } from "../runs/resolve-target.ts";
import { trajectoryAmbiguous, trajectoryNotFound } from "./errors.ts";
import { tellRun } from "./told-run.ts";
import { readTrajectories } from "./trajectory-files.ts";
import { trajectoryDirectories } from "./trajectory-place.ts";

/**
 * The trajectory that a text names: the id of one or its beginning, or a run, which is told from its journal whether it
 * leaves a file or not. Raises TRAIL_NOT_FOUND, TRAIL_AMBIGUOUS, RUN_AMBIGUOUS and what tellRun raises.
 */
export async function findTrajectory(
  machine: Machine,
  given: string,
  directory: string | undefined,
): Promise<Trajectory> {
  const directories = trajectoryDirectories(machine, directory);
  const { files } = await readTrajectories(directories);
  const ids = files.map(({ trajectory }) => trajectory.id);
  const matches = ids.includes(given)
    ? [given]
    : ids.filter((id) => given !== "" && (id.startsWith(given) || id.startsWith(`traj_${given}`)));
  if (matches.length > 1) throw trajectoryAmbiguous({ given, matches });
  const found = files.find(({ trajectory }) => trajectory.id === matches[0]);
  if (found !== undefined) return found.trajectory;
  return (await tellRun(machine, runNamed(machine, given, directories))).trajectory;
}

function runNamed(machine: Machine, given: string, directories: readonly string[]): string {
  try {
    return resolveTarget(machine, given).run;
  } catch (error) {
    if (error instanceof TroupeError && error.code === "RUN_NOT_FOUND")
      throw trajectoryNotFound({ given, directories }, { cause: error });
    throw error;
  }
}
