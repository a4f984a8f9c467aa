import { lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectory } from "../../../foundation/make-directory.ts";
import { distrustEntry, distrustFile, distrustPlace, isWithin } from "../../../host/owned-place.ts";
import { projectForeign, projectUnwritable, stateForeign } from "./errors.ts";

// What Troupe believes or writes is of this user and writable by nobody else (SEC-6). Root may work in the
// checkout of another user, as it does in containers: then what that user owns in it counts as root's.

const DATABASES = ["host.db", "daemon.lock", "trust.json.lock", "projects.json.lock"];
const STATE_DATABASES = DATABASES.flatMap((name) => [
  name,
  `${name}-wal`,
  `${name}-shm`,
  `${name}-journal`,
]);

/**
 * Why a `.troupe` may be of somebody else, as seen from the directory in which a command was started; undefined
 * when it can be believed or is not there.
 */
export function doubtProject(troupeDirectory: string, start: string): string | undefined {
  const root = dirname(troupeDirectory);
  const found = lookAt(troupeDirectory);
  if (found === undefined) return undefined;
  const owner = ownerForRoot(root, start);
  const problem = distrustEntry(found, owner);
  if (problem !== undefined) return `it ${problem}`;
  const runsDirectory = join(troupeDirectory, "runs");
  const runs = lookAt(runsDirectory);
  const runsProblem = runs && distrustEntry(runs, owner);
  if (runsProblem !== undefined) return `${runsDirectory} ${runsProblem}`;
  return doubtRoot(root, start) ?? leadsOut(troupeDirectory, root) ?? leadsOut(runsDirectory, root);
}

/** Where the runs of a project are, and where a command was started in it; all absolute. */
export interface ProjectPlaces {
  readonly troupeDirectory: string;
  readonly runsDirectory: string;
  readonly cwd: string;
}

/**
 * Makes the directory of a project's runs, unless others could put another in its place. Raises PROJECT_FOREIGN,
 * RUN_DIRECTORY_UNWRITABLE.
 */
export function makeRunsDirectory({ troupeDirectory, runsDirectory, cwd }: ProjectPlaces): void {
  const root = dirname(realOf(troupeDirectory));
  const problem = doubtRoot(root, cwd);
  if (problem !== undefined) throw projectForeign({ directory: troupeDirectory, problem });
  try {
    makeDirectory(runsDirectory, 0o700);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw projectUnwritable({ path: runsDirectory, problem: reason }, { cause: error });
  }
}

function doubtRoot(root: string, start: string): string | undefined {
  const found = lookAt(root);
  const problem = found && distrustEntry(found, ownerForRoot(root, start) ?? found.uid);
  return problem === undefined ? undefined : `${root} ${problem}`;
}

/** Raises PROJECT_FOREIGN when a project cannot be believed. A TROUPE_DIR that is a link was meant so. */
export function assertOwnProject(troupeDirectory: string, start: string, isGiven: boolean): void {
  const real = isGiven ? realOf(troupeDirectory) : troupeDirectory;
  const problem = doubtProject(real, isGiven ? real : start);
  if (problem !== undefined) throw projectForeign({ directory: troupeDirectory, problem });
}

/** Raises STATE_FOREIGN when the user's state directory is there and somebody else may have written to it. */
export function assertOwnState(directory: string): void {
  const problem = distrustPlace({ path: directory, root: directory }) ?? distrustInState(directory);
  if (problem !== undefined) throw stateForeign({ directory, problem });
}

/** The databases are opened by name, through links too, so that they are looked at before anything is. */
function distrustInState(directory: string): string | undefined {
  for (const name of STATE_DATABASES) {
    const file = join(directory, name);
    const problem = distrustFile(file);
    if (problem !== undefined) return `${file}: ${problem}`;
  }
  const looks = join(directory, "looks");
  return distrustPlace({ path: looks, root: directory });
}

/** Why a file of a project, which is believed itself, cannot be; undefined when it can or is not there. */
export function distrustProjectFile(file: string, root: string): string | undefined {
  return distrustPlace({ path: file, root, owner: lookAt(root)?.uid });
}

/** Why a file of the user's own cannot be believed; a link to one of hers elsewhere is hers. */
export function distrustUserFile(file: string): string | undefined {
  const info = lookAt(file);
  const problem = info && distrustEntry(info);
  return problem === undefined ? distrustDirectoryOf(file) : `${file} ${problem}`;
}

function distrustDirectoryOf(file: string): string | undefined {
  return distrustPlace({ path: dirname(file), root: dirname(file) });
}

function ownerForRoot(root: string, start: string): number | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = lookAt(root)?.uid;
  return owner === lookAt(start)?.uid ? owner : undefined;
}

function leadsOut(path: string, root: string): string | undefined {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  if (!isLink) return undefined;
  const real = realOf(path);
  return isWithin(real, realOf(root)) ? undefined : `${path} leads out of the project, to ${real}`;
}

function lookAt(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function realOf(path: string): string {
  return lookAt(path) === undefined ? path : realpathSync(path);
}
