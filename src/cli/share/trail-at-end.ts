import type { Machine } from "../../app/machine/machine.ts";
import { isTrajectoryDue } from "../../app/trail/due-trajectory.ts";
import { reportWarning } from "../command/report-error.ts";
import type { Io } from "../terminal/io.ts";
import type { Settings } from "../terminal/settings.ts";

/** Tells why the trajectory of a run that is over could not be written, after one more try; that changes nothing else. */
export async function trailAtEnd(
  run: string,
  {
    machine,
    io,
    settings,
  }: { readonly machine: Machine; readonly io: Io; readonly settings: Settings },
): Promise<void> {
  if (!isTrajectoryDue(machine, run)) return;
  const { keepTrajectory } = await import("../../app/trail/keep-trajectory.ts");
  try {
    await keepTrajectory(machine, run);
  } catch (error) {
    reportWarning(error, io, settings);
  }
}
