import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Workspace } from "../contracts/host.ts";
import { type Clock, systemClock } from "../foundation/clock.ts";
import { makeDirectory } from "../foundation/make-directory.ts";
import { matchesPath } from "../foundation/path-pattern.ts";
import { listFiles, patternStarts } from "./file-listing.ts";
import { fingerprintFile } from "./git/file-fingerprint.ts";
import { fileFailed, pathOutside } from "./system/errors.ts";
import { reasonOf, systemErrorCode } from "./system/system-error.ts";

// An agent may leave a file of any size where a check or a gate looks.
const MAX_READ_BYTES = 16 * 1024 * 1024;

type FileAction = Parameters<typeof fileFailed>[0]["action"];

const MOST_LISTED = 300_000;

/** What a workspace may be told beside its root. */
interface WorkspaceOptions {
  /** Defaults to that of this machine. */
  readonly clock?: Clock;
  /** Troupe's own files, which are not listed. Defaults to none. */
  readonly ownFiles?: readonly string[];
}

/**
 * Files below `root`, without Troupe's own among those that are listed. Every path is resolved through all links before it is used; one that leaves the
 * root raises HOST_PATH_OUTSIDE, what the system refuses HOST_FILE_FAILED, and a
 * file of more than 16 MiB that is to be read.
 */
export function createWorkspace(
  root: string,
  { clock = systemClock, ownFiles = [] }: WorkspaceOptions = {},
): Workspace {
  const readable = (path: string) => async () => {
    const place = await locate(root, path);
    return attempt("read", path, async () =>
      (await isThere(place)) ? await readRegularFile(place) : undefined,
    );
  };
  return {
    exists: async (path) => {
      const place = await locate(root, path);
      return attempt("inspect", path, () => isThere(place));
    },
    readText: async (path) => {
      const place = await locate(root, path);
      return attempt("read", path, () => readRegularFile(place));
    },
    writeText: async (path, text) => {
      const place = await locateEntry(root, path);
      await attempt("write", path, () => replaceFile(place, text));
    },
    replaceText: async (path, text, { isKnown, signal }) => {
      const place = await locateEntry(root, path);
      const { replaceKnown } = await import("./settled-file.ts");
      const replace = () => attempt("write", path, () => replaceFile(place, text));
      return replaceKnown({ place, clock, read: readRegularFile, replace }, isKnown, signal);
    },
    remove: async (path) => {
      const place = await locateEntry(root, path);
      await attempt("remove", path, () => rm(place, { force: true }));
    },
    list: (patterns, most) => listMatching(root, patterns, { ownFiles, most }),
    print: async (path) => {
      const place = await locateEntry(root, path);
      return attempt("read", path, () => printOf(place));
    },
    readSettled: async (path, signal) => {
      const { readSettled } = await import("./settled-file.ts");
      return readSettled(readable(path), clock, signal);
    },
    readUnknown: async (path, isKnown, signal) => {
      const { readUnknown } = await import("./settled-file.ts");
      // What lies in the way of the directory is found with the file.
      const directory = await locateEntry(root, path).then(dirname, () => root);
      return readUnknown({ directory, read: readable(path), clock }, isKnown, signal);
    },
  };
}

/** The real place of a path, of its last part too. */
async function locate(root: string, path: string): Promise<string> {
  const { realRoot, wanted } = await resolveInside(root, path);
  return assertInside(await realPlace(wanted), { realRoot, root, path });
}

/** The real directory of a path with its last part as written: a link is replaced or removed, not followed. */
async function locateEntry(root: string, path: string): Promise<string> {
  const { realRoot, wanted } = await resolveInside(root, path);
  if (wanted === realRoot) throw pathOutside({ path, root });
  const place = join(await realPlace(dirname(wanted)), basename(wanted));
  return assertInside(place, { realRoot, root, path });
}

async function resolveInside(
  root: string,
  path: string,
): Promise<{ readonly realRoot: string; readonly wanted: string }> {
  if (path.includes("\0") || path.split(/[\\/]/).includes("..")) throw pathOutside({ path, root });
  const realRoot = await realPlace(resolve(root));
  const full = resolve(root, path);
  // An absolute path may name the root as it was given or as it really is.
  const from = isInside(resolve(root), full) ? resolve(root) : realRoot;
  if (!isInside(from, full)) throw pathOutside({ path, root });
  return { realRoot, wanted: join(realRoot, relative(from, full)) };
}

function assertInside(
  place: string,
  { realRoot, root, path }: { realRoot: string; root: string; path: string },
): string {
  if (!isInside(realRoot, place)) throw pathOutside({ path, root });
  return place;
}

function isInside(directory: string, place: string): boolean {
  const way = relative(directory, place);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The path with all links resolved; what does not exist yet keeps its name below what does. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT" || dirname(path) === path) {
      throw fileFailed({ action: "inspect", path, reason: reasonOf(error) }, { cause: error });
    }
  }
  return join(await realPlace(dirname(path)), basename(path));
}

async function isThere(place: string): Promise<boolean> {
  try {
    await stat(place);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}

async function listMatching(
  root: string,
  patterns: readonly string[],
  { ownFiles, most }: { readonly ownFiles: readonly string[]; readonly most: number },
): Promise<readonly string[] | undefined> {
  const realRoot = await realPlace(resolve(root));
  const exclude = await Promise.all(ownFiles.map(realPlace));
  const starts = patternStarts(realRoot, patterns).filter((start) => isInside(realRoot, start));
  const listing = { root: realRoot, exclude, maxFiles: MOST_LISTED, follows: () => false };
  const files = await listFiles({ ...listing, starts });
  if (files === undefined) return undefined;
  const found = [...files.values()]
    .map(({ path }) => path)
    .filter((path) => patterns.some((pattern) => matchesPath(pattern, path)));
  return found.length > most ? undefined : found.sort();
}

async function printOf(place: string): Promise<string> {
  const print = await fingerprintFile("/", place);
  // Its mode is nothing of its content.
  return /^\d+ \S+$/.test(print) ? print.slice(print.indexOf(" ") + 1) : print;
}

async function readRegularFile(place: string): Promise<string> {
  // Without O_NONBLOCK a named pipe would hold the reader for ever.
  const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const sizeBytes = await regularSize(file);
    if (sizeBytes > MAX_READ_BYTES) throw new Error(`it has ${sizeBytes} bytes, more than 16 MiB`);
    const bytes = Buffer.alloc(sizeBytes);
    const { bytesRead } = await file.read(bytes, 0, sizeBytes, 0);
    return bytes.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function regularSize(file: FileHandle): Promise<number> {
  const found = await file.stat();
  if (!found.isFile()) throw new Error(found.isDirectory() ? "EISDIR" : "it is no regular file");
  return found.size;
}

async function replaceFile(place: string, text: string): Promise<void> {
  makeDirectory(dirname(place));
  const known = await stat(place).catch(() => undefined);
  const mode = known?.isFile() === true ? { mode: known.mode & 0o777 } : {};
  const draft = join(dirname(place), `.${randomBytes(6).toString("hex")}.troupe-draft`);
  try {
    await writeFile(draft, text.toWellFormed(), { flag: "wx", ...mode });
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function attempt<Result>(
  action: FileAction,
  path: string,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    throw fileFailed({ action, path, reason: reasonOf(error) }, { cause: error });
  }
}
