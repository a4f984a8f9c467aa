import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { LeaseHolder } from "../contracts/ports/store.ts";
import { sha256 } from "../foundation/hash.ts";
import { systemErrorCode } from "../host/system/system-error.ts";
import { FILE_MODE, removeFile } from "./run-files.ts";

/** The process of an owner. */
type OwnerProcess = Pick<LeaseHolder, "pid" | "pidStartedAt" | "bootId">;

// Several times in the life of a lease, whatever the number of runs that one process keeps.
const BEAT_MS = 1000;
const DIGITS = 16;
const BEAT = /^\d{16}$/;
const FILE = /^\.owner-(\d+)-[0-9a-f]{12}$/;

/**
 * When processes that own runs were last at work: a file for each process in each directory of runs, never synced, since no
 * lease outlives a boot. It renews every lease that the process holds there, so that runs that wait cost no writes.
 */
export class OwnerBeats {
  readonly #lastMs = new Map<string, number>();

  /** Says that a process is at work at this time of the boot's clock, in ms. Raises errors of the system. */
  beat(runsDirectory: string, owner: OwnerProcess, nowMs: number): void {
    const path = fileOf(runsDirectory, owner);
    const lastMs = this.#lastMs.get(path);
    if (lastMs !== undefined && nowMs >= lastMs && nowMs - lastMs < BEAT_MS) return;
    if (lastMs === undefined) removeOfDead(runsDirectory);
    try {
      writeBeat(path, nowMs);
    } catch (error) {
      if (systemErrorCode(error) !== "ELOOP") throw error;
      // Somebody laid a link there: it goes, so that no run is lost by it.
      removeFile(path);
      writeBeat(path, nowMs);
    }
    this.#lastMs.set(path, nowMs);
  }

  /** When a process was last seen at work; undefined when it never said so. */
  last(runsDirectory: string, owner: OwnerProcess): number | undefined {
    return readBeat(fileOf(runsDirectory, owner));
  }
}

function fileOf(runsDirectory: string, { pid, pidStartedAt, bootId }: OwnerProcess): string {
  const life = sha256(`${bootId} ${pidStartedAt}`).slice(0, 12);
  return join(runsDirectory, `.owner-${pid}-${life}`);
}

/** A file that another removes although its process lives is there again with the next beat. */
function removeOfDead(runsDirectory: string): void {
  for (const name of readdirSync(runsDirectory)) {
    const pid = FILE.exec(name)?.[1];
    if (pid !== undefined && !isProcess(Number(pid))) removeFile(join(runsDirectory, name));
  }
}

// A directory that was cloned may hold anything under this name: neither a link is followed nor a pipe waited for.
const PLAIN = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Overwritten in place: whoever reads meanwhile finds one time or the other. */
function writeBeat(path: string, atMs: number): void {
  const handle = openSync(path, constants.O_WRONLY | constants.O_CREAT | PLAIN, FILE_MODE);
  try {
    writeSync(handle, `${Math.floor(atMs)}`.padStart(DIGITS, "0"), 0);
  } finally {
    closeSync(handle);
  }
}

function readBeat(path: string): number | undefined {
  let handle: number;
  try {
    handle = openSync(path, constants.O_RDONLY | PLAIN);
  } catch (error) {
    if (["ENOENT", "ELOOP", "ENXIO"].includes(systemErrorCode(error) ?? "")) return undefined;
    throw error;
  }
  try {
    if (!fstatSync(handle).isFile()) return undefined;
    const bytes = Buffer.alloc(DIGITS);
    const text = bytes.toString("latin1", 0, readSync(handle, bytes, 0, DIGITS, 0));
    return BEAT.test(text) ? Number(text) : undefined;
  } finally {
    closeSync(handle);
  }
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) !== "ESRCH";
  }
}
