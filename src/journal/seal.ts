import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from "node:fs";
import { isRecord } from "../foundation/json.ts";
import { systemErrorCode } from "../host/system/system-error.ts";
import { corruptAfter, type JournalPlace, storeCorrupt, storeFormatUnknown } from "./errors.ts";
import type { EventLog } from "./event-log.ts";
import { FILE_MODE, type RunFiles, syncDirectory } from "./run-files.ts";

/** How far a journal had come when it was sealed. */
export interface Seal {
  readonly seq: number;
  readonly hash: string;
}

const SEAL_FORMAT_VERSION = 1;

/** Replaces the seal; it is durable on return, and a crash leaves the old one or the new one. */
export function writeSeal(files: RunFiles, seal: Seal): void {
  const temporary = `${files.seal}.tmp`;
  const handle = openSync(temporary, "w", FILE_MODE);
  try {
    fchmodSync(handle, FILE_MODE);
    writeSync(handle, `${JSON.stringify({ format: SEAL_FORMAT_VERSION, ...seal })}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, files.seal);
  syncDirectory(files.directory);
}

/** The seal of a run, if it has one. Raises STORE_CORRUPT and STORE_FORMAT_UNKNOWN. */
export function readSeal(files: RunFiles): Seal | undefined {
  const text = readIfThere(files.seal);
  if (text === undefined) return undefined;
  const { format, seq, hash } = parseObject(text);
  if (typeof seq !== "number" || typeof hash !== "string" || typeof format !== "number")
    throw sealDamaged(files.where);
  if (format !== SEAL_FORMAT_VERSION)
    throw storeFormatUnknown({
      ...files.where,
      what: "seal",
      found: format,
      known: SEAL_FORMAT_VERSION,
    });
  return { seq, hash };
}

/** Raises STORE_CORRUPT when less than what was sealed is there, or something else. */
export function assertSealed(log: EventLog, seal: Seal, place: JournalPlace): void {
  const last = log.last();
  if (last.seq < seal.seq)
    throw corruptAfter(
      place,
      `events ${last.seq + 1} to ${seal.seq} are missing, which its seal says were written`,
      last.seq,
    );
  if (log.hashAt(seal.seq) === seal.hash) return;
  // The chain itself shows where the damage begins, unless all of it was replaced.
  for (const event of log.read(0)) if (event.seq === seal.seq) break;
  throw corruptAfter(place, `its events are not those that were sealed at ${seal.seq}`, 0);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function sealDamaged(where: JournalPlace): Error {
  return storeCorrupt({
    ...where,
    problem: "its seal (journal.seal) cannot be read",
    firstBadSeq: 1,
    intactUpTo: 0,
  });
}
