import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Trajectory, TrajectoryTrace } from "../../contracts/trajectory.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { reasonOf, systemErrorCode } from "../../host/system/system-error.ts";
import { MirrorDirectory } from "../../messaging/mirrors/mirror-directory.ts";
import { isInside, realLocation } from "../../workflows/resolve/resolve-paths.ts";
import { trailUnwritable } from "./errors.ts";
import type { TrajectoryPlace } from "./trajectory-place.ts";
import { trajectoryText } from "./trajectory-text.ts";

// Owns the files of one trajectory.
// W1: a trajectory stands in one place: below `active` while its run goes on, else below the month of its end.
// W2: the new place is whole before the old one goes. A process that dies in between leaves both, of which readers take
//     the one that ended; whoever writes next removes the other.

/** What is written, and for which run. */
export interface WrittenTrajectory {
  readonly trajectory: Trajectory;
  readonly trace: TrajectoryTrace | undefined;
  readonly run: string;
  readonly place: TrajectoryPlace;
  /** Asked right before a file is seen: once it says no, nothing more is done. */
  readonly isStill: () => boolean;
}

/** Writes a trajectory where it belongs and removes it where it was. Raises TRAIL_UNWRITABLE. */
export async function writeTrajectory(written: WrittenTrajectory): Promise<void> {
  const { trajectory, trace, run, place, isStill } = written;
  const parent = join(place.directory, partOf(trajectory));
  const { id } = trajectory;
  const path = join(parent, id);
  const directory = new MirrorDirectory(path, place.root);
  try {
    if (trace !== undefined) {
      const traces = new MirrorDirectory(parent, place.root);
      await traces.replace(`${id}.trace.json`, [`${JSON.stringify(trace, null, 2)}\n`], isStill);
    }
    // Whoever reads trajectories goes by the JSON file: it is the last one.
    if (trajectory.status !== "active")
      await directory.replace("summary.md", [trajectoryText(trajectory, "md")], isStill);
    await directory.replace("trajectory.json", [trajectoryText(trajectory, "json")], isStill);
    if (isStill()) removeElsewhere(place, { id, parent });
  } catch (error) {
    const problem = error instanceof TroupeError ? error.message : reasonOf(error);
    throw trailUnwritable({ run, path, problem }, { cause: error });
  }
}

function partOf({ status, completedAt, startedAt }: Trajectory): string {
  if (status === "active") return "active";
  return join("completed", (completedAt ?? startedAt).slice(0, "YYYY-MM".length));
}

/** A run that went on after its end, such as one at a limit, ends again, maybe in another month. */
function removeElsewhere(
  { directory, root }: TrajectoryPlace,
  { id, parent }: { readonly id: string; readonly parent: string },
): void {
  const completed = join(directory, "completed");
  const months = directoriesIn(completed).map((name) => join(completed, name));
  for (const other of [join(directory, "active"), ...months]) {
    // Agents work beside it and may have laid links.
    const isOurs = root === undefined || isInside(realLocation(other), realLocation(root));
    if (other === parent || !isOurs || !isDirectory(other)) continue;
    rmSync(join(other, id), { recursive: true, force: true });
    rmSync(join(other, `${id}.trace.json`), { force: true });
  }
}

function directoriesIn(path: string): readonly string[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
