import { closeSync, fchmodSync, fsyncSync, lstatSync, openSync, unlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { INSTANCE_PATTERN } from "../foundation/ids.ts";
import { systemErrorCode } from "../host/system/system-error.ts";
import type { JournalPlace } from "./errors.ts";

/** Where the files of one run lie. */
export interface RunFiles {
  /** How errors name the run. */
  readonly where: JournalPlace;
  readonly directory: string;
  readonly journal: string;
  readonly seal: string;
  /** Lies there, empty, while the run was given up by an owner that could not say so in the journal. */
  readonly givenUp: string;
}

/** Rights of what lies under the runs' directory: nobody but its owner. */
export const DIRECTORY_MODE = 0o700;
export const FILE_MODE = 0o600;

/** The files of a run, there or not; undefined when the id could name something outside. */
export function runFiles(runsDirectory: string, run: string): RunFiles | undefined {
  if (!INSTANCE_PATTERN.test(run)) return undefined;
  const directory = join(runsDirectory, run);
  return {
    where: { run, place: `${basename(runsDirectory)}/${run}/journal.db` },
    directory,
    journal: join(directory, "journal.db"),
    seal: join(directory, "journal.seal"),
    givenUp: join(directory, "journal.given-up"),
  };
}

/**
 * Whether the creation of the run was cut off or is under way. Only then is there a rollback journal, which
 * readers could not get past: from the first event on the log is written ahead.
 */
export function isUnfinished(files: RunFiles): boolean {
  return isThere(`${files.journal}-journal`) && !isThere(files.seal);
}

/** Whether there is anything under a path. */
export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Makes an empty file that only its owner can read, unless one is there. SQLite would make it readable for
 * others; its log and shared memory take the file's rights. A file that is there is not opened: closing it
 * would drop the locks of a connection in this process.
 */
export function makePrivateFile(path: string): void {
  try {
    const handle = openSync(path, "wx", FILE_MODE);
    fchmodSync(handle, FILE_MODE);
    closeSync(handle);
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") throw error;
  }
}

/** Removes a file; false when there is none. */
export function removeFile(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** Makes what was created or renamed in a directory survive a loss of power. */
export function syncDirectory(directory: string): void {
  const handle = openSync(directory, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
