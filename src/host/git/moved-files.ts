import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  type PathLike,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  symlinkSync,
  unlinkSync,
  utimesSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemErrorCode } from "../system/system-error.ts";
import { nameBytes, systemPath } from "./exact-names.ts";

// Owns the files of a working tree while it changes from one tree to another.
// F1: a path has its old content or its new one at every moment, never a part of one.
// F2: a path that has neither was changed by somebody else, and is not written.
// F3: both contents stay in the stage until the change is over, so that it can go either way as often as needed.

/** A file as it was before a change and as it is after: states, see `fileStateOf`. */
export interface MovedFile {
  /** From the root of the working tree. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Where files are moved. */
export interface MovePlaces {
  /** Of the working tree, absolute. */
  readonly root: string;
  /** Holds the copies: `before/` and `after/`; absolute. */
  readonly stage: string;
  /** Whether names that differ in case alone may be one file. */
  readonly ignoresCase: boolean;
}

export type MoveDirection = "before" | "after";

/** The state of a path where there is no file. A directory is none. */
export const ABSENT = "absent";

/** The state of what is neither a plain file nor a link: a pipe, a socket, a device. */
const STRANGE = "strange";

const PIECE_BYTES = 1024 * 1024;
const AT_ONCE = 50;

/**
 * A text that stands for kind, content and executable bit of a file. Links on the way to it are not followed: what is
 * behind one is not in the tree. Raises errors of the system.
 */
export function fileStateOf(
  { root, ignoresCase }: Omit<MovePlaces, "stage">,
  path: string,
): string {
  if (obstacleOn(root, path) !== undefined) return ABSENT;
  const place = join(root, path);
  const stat = lstatSync(systemPath(place), { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) return ABSENT;
  if (ignoresCase && !isListed(place)) return ABSENT;
  if (stat.isSymbolicLink()) return `link ${readlinkSync(systemPath(place))}`;
  if (!stat.isFile()) return STRANGE;
  return `${(stat.mode & 0o100) === 0 ? "file" : "program"} ${hashOf(place, stat.size)}`;
}

/** Whether a directory has a file under exactly this name. */
function isListed(place: string): boolean {
  const name = nameBytes(basename(place));
  const names = readdirSync(systemPath(dirname(place)), "buffer");
  return names.some((each) => name.equals(each));
}

/** Keeps a file of the working tree in the stage as it is now. Raises errors of the system. */
export function keepBefore({ root, stage }: MovePlaces, path: string): void {
  const kept = join(stage, "before", path);
  mkdirSync(systemPath(dirname(kept)), { recursive: true });
  duplicate(join(root, path), kept);
}

/**
 * Brings every file that is in one of its two states to the wanted one, and resolves with the paths of all others,
 * which are not touched. Raises errors of the system, after which it can be called again, for either direction.
 */
export async function settleFiles(
  places: MovePlaces,
  files: readonly MovedFile[],
  wanted: MoveDirection,
): Promise<readonly string[]> {
  const left: string[] = [];
  const other = wanted === "after" ? "before" : "after";
  const settle = async (chosen: readonly MovedFile[], change: (file: MovedFile) => void) => {
    for (const [index, file] of chosen.entries()) {
      if (index % AT_ONCE === 0) await new Promise((resume) => setImmediate(resume));
      const state = fileStateOf(places, file.path);
      dropNeighbour(places.root, file.path);
      if (state !== file[wanted] && (state !== file[other] || !tried(() => change(file))))
        left.push(file.path);
      // Also where the file was gone: its directories may have outlived an earlier attempt.
      if (file[wanted] === ABSENT) removeEmptyParents(places.root, file.path);
    }
  };
  // What goes, goes first: a directory may be needed where a file is, or the other way round. From the end, so that
  // directories are empty when their turn comes.
  const sorted = [...files].sort((one, two) => (one.path < two.path ? -1 : 1));
  const isGoing = (file: MovedFile) => file[wanted] === ABSENT;
  await settle(sorted.filter(isGoing).reverse(), ({ path }) =>
    unlinkSync(systemPath(join(places.root, path))),
  );
  await settle(
    sorted.filter((file) => !isGoing(file)),
    (file) => put(places, file, wanted),
  );
  return left.sort();
}

/** Makes a directory for a repository within the working tree, where nothing else is. */
export function makeLinkDirectory(root: string, path: string): void {
  tried(() => {
    makeParents(root, path);
    const place = systemPath(join(root, path));
    if (lstatSync(place, { throwIfNoEntry: false }) === undefined) mkdirSync(place);
  });
}

/** Removes the directory of such a repository if nothing is in it. */
export function removeLinkDirectory(root: string, path: string): void {
  if (obstacleOn(root, path) === undefined) removeEmpty(root, path);
}

/** Whether a change was possible; not where something of somebody else's is in its way. */
function tried(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (error) {
    if (IN_THE_WAY.has(systemErrorCode(error) ?? "")) return false;
    throw error;
  }
}

const IN_THE_WAY: ReadonlySet<string> = new Set([
  "EEXIST",
  "EISDIR",
  "ELOOP",
  "ENOTDIR",
  "ENOTEMPTY",
]);

/** What is on the way to a path and no directory; undefined for none, also where the way ends before. */
function obstacleOn(root: string, path: string): string | undefined {
  const names = path.split("/").slice(0, -1);
  let place = root;
  for (const name of names) {
    place = join(place, name);
    const stat = lstatSync(systemPath(place), { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    if (!stat.isDirectory()) return place;
  }
  return undefined;
}

function removeEmptyParents(root: string, path: string): void {
  if (obstacleOn(root, path) !== undefined) return;
  for (let parent = dirname(path); parent !== "."; parent = dirname(parent))
    if (!removeEmpty(root, parent)) return;
}

/** Removes a directory if nothing is in it; whether it is gone. */
function removeEmpty(root: string, path: string): boolean {
  try {
    rmdirSync(systemPath(join(root, path)));
    return true;
  } catch (error) {
    // It has something in it, or may not be removed: neither is in the way of anything here.
    return systemErrorCode(error) === "ENOENT";
  }
}

function put({ root, stage }: MovePlaces, { path }: MovedFile, wanted: MoveDirection): void {
  const target = join(root, path);
  makeParents(root, path);
  const place = systemPath(target);
  if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) rmdirSync(place);
  const fresh = join(stage, "fresh");
  rmSync(fresh, { force: true });
  duplicate(join(stage, wanted, path), fresh);
  try {
    renameSync(fresh, place);
  } catch (error) {
    if (systemErrorCode(error) !== "EXDEV") throw error;
    const near = neighbour(target);
    duplicate(fresh, near);
    renameSync(systemPath(near), place);
  }
  // Two names of one file are not renamed onto each other: both stay.
  rmSync(fresh, { force: true });
}

/** Where a file is made if the stage is on another disk. */
function neighbour(target: string): string {
  return join(dirname(target), `.${basename(target)}.troupe-move`);
}

function dropNeighbour(root: string, path: string): void {
  if (obstacleOn(root, path) === undefined)
    rmSync(systemPath(neighbour(join(root, path))), { force: true });
}

function makeParents(root: string, path: string): void {
  const names = path.split("/").slice(0, -1);
  let place = root;
  for (const name of names) {
    place = join(place, name);
    const made = systemPath(place);
    if (lstatSync(made, { throwIfNoEntry: false })?.isDirectory() !== true) mkdirSync(made);
  }
}

const WITHOUT_LINKS: ReadonlySet<string> = new Set([
  "EMLINK",
  "ENOSYS",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EPERM",
  "EXDEV",
]);

/** A second name for a file, or a copy where there are none. */
function duplicate(source: string, copied: string): void {
  const [from, to] = [systemPath(source), systemPath(copied)];
  const stat = lstatSync(from);
  if (stat.isSymbolicLink()) {
    symlinkSync(readlinkSync(from, "buffer"), to);
    return;
  }
  try {
    linkSync(from, to);
  } catch (error) {
    if (!WITHOUT_LINKS.has(systemErrorCode(error) ?? "")) throw error;
    copy(from, to, stat);
  }
}

function copy(from: PathLike, to: PathLike, { atimeMs, mtimeMs }: Stats): void {
  rmSync(to, { force: true });
  copyFileSync(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  utimesSync(to, atimeMs / 1000, mtimeMs / 1000);
}

function hashOf(path: string, sizeBytes: number): string {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = openSync(systemPath(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const hash = createHash("sha256");
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, sizeBytes + 1));
    for (let read = readSync(handle, piece); read > 0; read = readSync(handle, piece))
      hash.update(piece.subarray(0, read));
    return hash.digest("hex");
  } finally {
    closeSync(handle);
  }
}
