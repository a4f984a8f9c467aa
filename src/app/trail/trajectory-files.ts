import { readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Trajectory, trajectorySchema } from "../../contracts/trajectory.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { systemErrorCode } from "../../host/system/system-error.ts";
import type { Machine } from "../machine/machine.ts";
import { readTextFile } from "../machine/place/read-text-file.ts";
import { resolveTarget } from "../runs/resolve-target.ts";
import { trajectoryAmbiguous, trajectoryInvalid, trajectoryNotFound } from "./errors.ts";
import { tellRun } from "./told-run.ts";
import { trajectoryDirectories } from "./trajectory-place.ts";

/** A trajectory and where it was read. */
export interface TrajectoryFile {
  readonly trajectory: Trajectory;
  /** Absolute. */
  readonly file: string;
}

/** All trajectories of some directories, the newest first, and why files of them could not be read. */
export interface TrajectoryShelf {
  readonly files: readonly TrajectoryFile[];
  readonly problems: readonly TroupeError[];
}

/** Parts of a directory of trajectories: those of work that goes on, and of work that is over. */
const PARTS = ["active", "completed"];
const MAX_DEPTH = 4;
const MAX_BYTES = 16 * 1_048_576;

/**
 * Reads all trajectories of directories, those of every layout that agent-trajectories has had. What stands several
 * times under one id counts once, as it was last. Raises errors of the system other than absence.
 */
export async function readTrajectories(directories: readonly string[]): Promise<TrajectoryShelf> {
  const byId = new Map<string, TrajectoryFile>();
  const problems: TroupeError[] = [];
  for (const file of directories.flatMap(filesOf)) {
    try {
      const trajectory = await readTrajectory(file);
      const known = byId.get(trajectory.id)?.trajectory;
      if (known === undefined || lastTime(trajectory) > lastTime(known))
        byId.set(trajectory.id, { trajectory, file });
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      problems.push(error);
    }
  }
  const files = [...byId.values()].toSorted((left, right) =>
    right.trajectory.startedAt.localeCompare(left.trajectory.startedAt),
  );
  return { files, problems };
}

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

async function readTrajectory(file: string): Promise<Trajectory> {
  const text = await readTextFile(file, MAX_BYTES);
  const parsed = trajectorySchema.safeParse(parseJson(text, file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined ? "" : z.core.toDotPath(issue.path);
  throw trajectoryInvalid({ file, problem: `${place || "it"}: ${issue?.message ?? "wrong"}` });
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw trajectoryInvalid({ file, problem }, { cause: error });
  }
}

function lastTime({ startedAt, completedAt = startedAt }: Trajectory): string {
  return completedAt;
}

function filesOf(directory: string): readonly string[] {
  return PARTS.flatMap((part) => jsonFiles(join(directory, part), MAX_DEPTH));
}

/** Links are not followed: in a project anybody may have made them. */
function jsonFiles(directory: string, depth: number): readonly string[] {
  return entriesOf(directory).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return depth === 0 ? [] : jsonFiles(path, depth - 1);
    return entry.isFile() && isTrajectoryName(entry.name) ? [path] : [];
  });
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "")) return [];
    throw error;
  }
}

function isTrajectoryName(name: string): boolean {
  if (!name.endsWith(".json") || name === "index.json") return false;
  return !/(?:^|\.)(?:trace|compaction)\.json$/.test(name);
}
