import { join, resolve } from "node:path";
import { TRAJECTORIES_DIRECTORY, type TrajectorySpec } from "../../contracts/trajectory.ts";
import { isInside, realLocation } from "../../workflows/resolve/resolve-paths.ts";
import type { Machine } from "../machine/machine.ts";
import { trailOutside } from "./errors.ts";

/** A directory of trajectories. */
export interface TrajectoryPlace {
  /** Absolute. */
  readonly directory: string;
  /** What it must really lie in; undefined where the user herself named it. */
  readonly root: string | undefined;
}

/** Directories of other versions, and of other tools, which are read too. */
const EARLIER = [".trajectories"];

/** Where runs of a workflow leave their trajectories. Raises TRAIL_DIRECTORY_OUTSIDE. */
export function trajectoryPlace(
  { project, env }: Pick<Machine, "project" | "env">,
  { dataDir }: Pick<TrajectorySpec, "dataDir">,
): TrajectoryPlace {
  const named = env["TRAJECTORIES_DATA_DIR"];
  if (dataDir === undefined && named !== undefined && named !== "")
    return { directory: resolve(project.root, named), root: undefined };
  const { root } = project;
  const directory = resolve(root, dataDir ?? TRAJECTORIES_DIRECTORY);
  if (!isInside(directory, root) || !isInside(realLocation(directory), realLocation(root)))
    throw trailOutside({ directory, project: root });
  return { directory, root };
}

/** The directories in which trajectories are looked for; `given` alone when somebody names one. */
export function trajectoryDirectories(
  machine: Pick<Machine, "project" | "env">,
  given: string | undefined,
): readonly string[] {
  if (given !== undefined) return [given];
  const { root } = machine.project;
  return [trajectoryPlace(machine, {}).directory, ...EARLIER.map((name) => join(root, name))];
}
