import type { TrajectorySpec } from "../../contracts/trajectory.ts";
import { TroupeError } from "../../foundation/errors.ts";
import type { Machine } from "../machine/machine.ts";
import { foreignReasonOf } from "../runs/assert-own-run.ts";
import { expectTrajectory } from "./due-trajectory.ts";
import { keepTrajectory } from "./keep-trajectory.ts";
import { trajectoryPlace } from "./trajectory-place.ts";

/** What leaves the trajectory of a run that this process carries out. */
export interface RunTrail {
  /** Once the run is this process's own, before it begins or goes on. */
  expect(): void;
  /** Once run and process have parted. */
  keep(): Promise<void>;
}

/** The trail of a run whose workflow wants one. Raises TRAIL_DIRECTORY_OUTSIDE. */
export function createRunTrail(machine: Machine, run: string, spec: TrajectorySpec): RunTrail {
  trajectoryPlace(machine, spec);
  return {
    expect: () => expectTrajectory(machine, run),
    keep: () => keepUnlessRefused(machine, run),
  };
}

/** Writes the trajectory of a run that is over; what stands in the way is told to whoever looks next: it stays due. */
export async function keepUnlessRefused(machine: Machine, run: string): Promise<void> {
  if (foreignReasonOf(machine.store, run) !== undefined) return;
  try {
    await keepTrajectory(machine, run);
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
  }
}
