import { delay } from "../foundation/abort.ts";
import type { Clock } from "../foundation/clock.ts";
import { TroupeError } from "../foundation/errors.ts";
import { isRecord } from "../foundation/json.ts";
import { systemErrorCode } from "../host/system/system-error.ts";
import {
  type JournalPlace,
  storeBusy,
  storeCorrupt,
  storeFull,
  storeUnreadable,
  storeUnwritable,
} from "./errors.ts";

/** What was tried when something failed. */
export type StoreAccess = "read" | "write";

// Primary result codes of SQLite, and the one extended code that means a full disk.
const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;
const FULL = 13;
const TOO_BIG = 18;
const CONSTRAINT = 19;
const MISMATCH = 20;
const NOT_A_DATABASE = 26;
const IO_ERROR_SHORT_READ = 522;
const IO_ERROR_SHARED_MEMORY_SIZE = 4874;

// The statements are fixed, so an error in one of them (1, 19, 20) speaks of the tables it ran on.
const DAMAGE = new Set([ERROR, CORRUPT, CONSTRAINT, MISMATCH, NOT_A_DATABASE]);

/** Runs `work` and turns what SQLite or the file system throws into an error of the store. */
export function asStoreError<Value>(
  place: JournalPlace,
  access: StoreAccess,
  work: () => Value,
): Value {
  try {
    return work();
  } catch (error) {
    throw toStoreError(error, place, access);
  }
}

/** The store's error for anything thrown while a journal was read or written. */
export function toStoreError(error: unknown, place: JournalPlace, access: StoreAccess): Error {
  if (error instanceof TroupeError || !(error instanceof Error)) return asError(error);
  const options = { cause: error };
  const code = systemErrorCode(error);
  const { errcode } = isRecord(error) ? error : { errcode: undefined };
  if (typeof errcode === "number") return fromSqlite(errcode, { error, place, access });
  if (code === "ENOSPC" || code === "EDQUOT") return storeFull(place, options);
  // An integer that no JavaScript number holds: no writer has ever stored one.
  if (code === "ERR_OUT_OF_RANGE") return damaged(place, error);
  if (code === undefined) return error;
  const problem = withoutPaths(error.message);
  return access === "read"
    ? storeUnreadable({ ...place, problem }, options)
    : storeUnwritable({ ...place, problem }, options);
}

interface Failed {
  readonly error: Error;
  readonly place: JournalPlace;
  readonly access: StoreAccess;
}

function fromSqlite(extendedCode: number, { error, place, access }: Failed): Error {
  const code = extendedCode & 0xff;
  const options = { cause: error };
  if (code === BUSY || code === LOCKED) return storeBusy(place, options);
  if (code === FULL || extendedCode === IO_ERROR_SHARED_MEMORY_SIZE)
    return storeFull(place, options);
  if (DAMAGE.has(code) || extendedCode === IO_ERROR_SHORT_READ) return damaged(place, error);
  if (code === TOO_BIG && access === "read") return damaged(place, error);
  const problem = `${error.message} (SQLite ${extendedCode})`;
  return access === "read"
    ? storeUnreadable({ ...place, problem }, options)
    : storeUnwritable({ ...place, problem }, options);
}

function damaged(place: JournalPlace, error: Error): Error {
  const problem = `SQLite says "${error.message}"`;
  return storeCorrupt({ ...place, problem, firstBadSeq: 1, intactUpTo: 0 }, { cause: error });
}

// Messages of Node's file system end in absolute paths, which are nobody's business in a report.
function withoutPaths(message: string): string {
  return message.replace(/,? ?'[^']*'(?: -> '[^']*')?$/, "");
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error), { cause: error });
}

/** How long a locked journal is tried again before STORE_BUSY stands, in ms. */
const BUSY_LIMIT_MS = 2000;

const LONGEST_PAUSE_MS = 20;

/**
 * Repeats `attempt` from timers while it raises STORE_BUSY, for 2 s; then that error
 * stands. Rejects with the signal's reason when it aborts first.
 */
export async function retryWhileBusy<Value>(
  attempt: () => Value,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Value> {
  const untilMs = clock.monotonic() + BUSY_LIMIT_MS;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return attempt();
    } catch (error) {
      if (!isStoreBusy(error) || clock.monotonic() >= untilMs) throw error;
    }
    await delay(clock, pauseMs, signal);
  }
}

/** Whether an error says that another process holds the lock. */
export function isStoreBusy(error: unknown): boolean {
  return error instanceof TroupeError && error.code === storeBusy.code;
}

/** Whether an error says that there is no room left. */
export function isStoreFull(error: unknown): boolean {
  return error instanceof TroupeError && error.code === storeFull.code;
}
