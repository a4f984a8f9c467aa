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
  /** Lies there, empty, once the owner of this epoch has let the run go and could not write it into the journal. */
  letGo(epoch: number): string;
}

/** Rights of what lies under the runs' directory: nobody but its owner. */
export const DIRECTORY_MODE = 0o700;
export const FILE_MODE = 0o600;

/** The files of a run, there or not; undefined when the id could name something outside. */
export function runFiles(runsDirectory: string, run: string): RunFiles | undefined {
  if (!INSTANCE_PATTERN.test(run)) return undefined;
  return filesUnder(runsDirectory, run, run);
}

/** The files of a run that lie in a directory of another name as yet. */
export function filesUnder(runsDirectory: string, name: string, run: string): RunFiles {
  const directory = join(runsDirectory, name);
  return {
    where: { run, place: `${basename(runsDirectory)}/${name}/journal.db` },
    directory,
    journal: join(directory, "journal.db"),
    seal: join(directory, "journal.seal"),
    givenUp: join(directory, "journal.given-up"),
    letGo: (epoch) => join(directory, `journal.let-go-${epoch}`),
  };
}

/**
 * Whether the creation of the run was cut off or is under way. Only then is there a rollback journal, which
 * readers could not get past: from the first event on the log is written ahead.
 */
export function isUnfinished(files: RunFiles): boolean {
  return isThere(`${files.journal}-journal`) && !isThere(files.seal);
}

/**
 * Differs once somebody has written into a journal or replaced it. Readers leave a log that is empty, which is as if there
 * were none.
 */
export function footprintOf({ journal }: RunFiles): string {
  return [journal, `${journal}-wal`].map(partOf).join(" ");
}

/** When a journal was last written to, in ms since the epoch; 0 for none. */
export function changedAtMs({ journal }: RunFiles): number {
  const times = [journal, `${journal}-wal`].map(
    (path) => lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return Math.max(...times);
}

function partOf(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  if (stat === undefined || stat.size === 0n) return "-";
  return `${stat.ino}:${stat.size}:${stat.mtimeNs}`;
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
  syncFile(directory);
}

/**
 * Makes what a file holds survive a loss of power. Not for a journal to which this process has a connection: closing the
 * file would drop its locks.
 */
export function syncFile(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** What the files of a run look like from outside. */
export interface RunSignature {
  /** Differs whenever a file of the run was written, replaced or moved. */
  readonly text: string;
  /** Last change of any of them, in ms since the epoch. */
  readonly changedAtMs: number;
}

/**
 * Looks at the files of a run without opening one; undefined when there is no journal. The time of the last
 * change of an inode is in it, which nobody can set, so that an altered journal is seen whatever its size.
 */
export function readSignature(runsDirectory: string, run: string): RunSignature | undefined {
  const files = runFiles(runsDirectory, run);
  if (files === undefined) return undefined;
  const parts: string[] = [];
  let changedAtMs = 0;
  for (const path of [files.journal, `${files.journal}-wal`, files.seal]) {
    const stat = lstatSync(path, { throwIfNoEntry: false, bigint: true });
    if (stat === undefined && path === files.journal) return undefined;
    // Readers make and leave empty logs, which say nothing.
    if (stat === undefined || (stat.size === 0n && path !== files.journal)) {
      parts.push("-");
      continue;
    }
    changedAtMs = Math.max(changedAtMs, Number(stat.ctimeMs));
    parts.push(`${stat.dev}:${stat.ino}:${stat.size}:${stat.ctimeNs}`);
  }
  return { text: parts.join(" "), changedAtMs };
}
