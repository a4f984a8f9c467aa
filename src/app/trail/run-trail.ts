import type { JournalEvent } from "../../contracts/events/event.ts";
import type { TrajectorySpec } from "../../contracts/trajectory.ts";
import { TroupeError } from "../../foundation/errors.ts";
import type { Machine } from "../machine/machine.ts";
import { foreignReasonOf } from "../runs/assert-own-run.ts";
import { createActiveTrajectory } from "./active-trajectory.ts";
import { expectTrajectory } from "./due-trajectory.ts";
import { keepTrajectory, renewTrajectory } from "./keep-trajectory.ts";
import { trajectoryPlace } from "./trajectory-place.ts";

/** What leaves the trajectory of a run that this process carries out. */
export interface RunTrail {
  /** Once the run is this process's own, before it begins or goes on. */
  expect(): void;
  /** Durable events, in order: the file says how far the run is. */
  take(events: readonly JournalEvent[]): void;
  /** Once run and process have parted. */
  keep(): Promise<void>;
}

/** The trail of a run whose workflow wants one. Raises TRAIL_DIRECTORY_OUTSIDE. */
export function createRunTrail(machine: Machine, run: string, spec: TrajectorySpec): RunTrail {
  trajectoryPlace(machine, spec);
  // What stands in the way is told at the end, or to whoever looks next.
  const renew = () => passOver(() => renewTrajectory(machine, run));
  const active = createActiveTrajectory(renew, machine.clock);
  return {
    expect: () => expectTrajectory(machine, run),
    take: active.take,
    keep: async () => {
      if (await active.close()) await renew();
      await keepUnlessRefused(machine, run);
    },
  };
}

/** Writes the trajectory of a run that is over; what stands in the way is told to whoever looks next: it stays due. */
export async function keepUnlessRefused(machine: Machine, run: string): Promise<void> {
  if (foreignReasonOf(machine.store, run) !== undefined) return;
  await passOver(() => keepTrajectory(machine, run));
}

/** Tells a run anew to which somebody has added, in the hands of this process; one that has ended, to go on later, too. */
export async function retellRun(machine: Machine, run: string): Promise<void> {
  if (!machine.keepsFiles) return;
  expectTrajectory(machine, run);
  await passOver(() => renewTrajectory(machine, run));
  await passOver(() => keepTrajectory(machine, run));
}

async function passOver(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
  }
}
