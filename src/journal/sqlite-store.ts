import { chmodSync, lstatSync, readdirSync, renameSync, rmSync, type Stats } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { JournalEvent } from "../contracts/events/event.ts";
import type { Journal, JournalFollower, LeaseHolder, RunStore } from "../contracts/ports/store.ts";
import { delay } from "../foundation/abort.ts";
import { type Clock, systemClock } from "../foundation/clock.ts";
import { TroupeError } from "../foundation/errors.ts";
import { makeDirectory } from "../foundation/make-directory.ts";
import { OwnerBeats } from "../host/owner-beats.ts";
import { systemErrorCode } from "../host/system/system-error.ts";
import {
  journalOwned,
  runForeign,
  runNotFound,
  storeCorrupt,
  storeRunExists,
  storeUnwritable,
} from "./errors.ts";
import {
  DIRECTORY_MODE,
  FILE_MODE,
  isThere,
  isUnfinished,
  makePrivateFile,
  type RunFiles,
  runFiles,
  syncDirectory,
  syncFile,
} from "./run-files.ts";
import type { RunOrigins } from "./run-origin.ts";
import { createSchema } from "./schema.ts";
import {
  closeOnError,
  connectForWriting,
  setDurable,
  setSyncing,
  writeAhead,
} from "./sqlite-connection.ts";
import { asStoreError, isStoreBusy } from "./sqlite-errors.ts";
import { type OpenOptions, openSqliteJournal, SqliteJournal } from "./sqlite-journal.ts";

/** What a store needs of its surroundings. */
export interface SqliteStoreOptions {
  /** Drives the retries of a busy lock and the polling of followers. Defaults to the machine's clock. */
  readonly clock?: Clock;
  /** How often a follower looks for new events, in ms. Defaults to 50. */
  readonly pollMs?: number;
  /** Whether the process of a holder has ended, so that its run may be removed. Defaults to never. */
  isGone?(holder: LeaseHolder): boolean;
  /** Shared by the stores of one process, so that it writes once for all of its runs. Defaults to its own. */
  readonly beats?: OwnerBeats;
  /** Tells this user's runs from others. Defaults to none: every run is hers. */
  readonly origins?: RunOrigins;
}

/** Runs as directories in `place`, each with one SQLite file. That directory is made with the first run. */
export function createSqliteStore(place: string, options: SqliteStoreOptions = {}): RunStore {
  // The process may go to another directory meanwhile.
  const runsDirectory = resolve(place);
  const { clock = systemClock, pollMs = 50, isGone = () => false, origins } = options;
  const { beats = new OwnerBeats() } = options;
  const find = (run: string, mode: "read" | "write"): SqliteJournal => {
    const files = runFiles(runsDirectory, run);
    const journal = files && openSqliteJournal(files, { mode, clock, origins, beats });
    if (journal === undefined) throw runNotFound({ run, known: list() });
    return journal;
  };
  const open = (run: string, mode: "read" | "write"): SqliteJournal => {
    const journal = find(run, mode);
    if (mode === "write") assertOwn(journal);
    return journal;
  };
  const everyRun = { run: "*", place: basename(runsDirectory) };
  const list = (): readonly string[] =>
    asStoreError(everyRun, "read", () => listRuns(runsDirectory));
  return {
    create: (run) => createRun(runsDirectory, run, { mode: "write", clock, origins, beats }),
    open,
    follow: (run, afterSeq) => createSqliteFollower(open(run, "read"), { clock, pollMs, afterSeq }),
    list,
    has: (run) => {
      const files = runFiles(runsDirectory, run);
      try {
        return files !== undefined && isThere(files.directory);
      } catch {
        return false;
      }
    },
    adopt: (run) => {
      const files = runFiles(runsDirectory, run);
      if (files === undefined) throw runNotFound({ run, known: list() });
      assertUnowned(() => open(run, "read"), isGone);
      asStoreError(files.where, "write", () => closeToOthers(files));
      const journal = find(run, "write");
      journal.adopt();
      try {
        assertOwn(journal);
      } finally {
        journal.close();
      }
    },
    remove: (run) => {
      const files = runFiles(runsDirectory, run);
      if (files === undefined) throw runNotFound({ run, known: list() });
      assertUnowned(() => open(run, "read"), isGone);
      asStoreError(files.where, "write", () => removeDirectory(runsDirectory, files));
    },
  };
}

// Creating is safe to repeat: a crash leaves either no tables, and the next create makes them, or a run.
function createRun(runsDirectory: string, run: string, options: OpenOptions): Journal {
  const files = runFiles(runsDirectory, run);
  if (files === undefined)
    throw storeUnwritable({ run, place: "nowhere", problem: "this is not an id for a run" });
  return asStoreError(files.where, "write", () => {
    makeDirectories(runsDirectory, files.directory);
    // Whatever became of its journal, a run that was sealed has been there.
    if (isThere(files.seal)) throw storeRunExists({ run });
    makePrivateFile(files.journal);
    makeTables(files);
    syncFile(files.journal);
    syncDirectory(runsDirectory);
    const db = connectForWriting(files);
    return closeOnError(db, () => {
      setDurable(db);
      return new SqliteJournal(db, files, options);
    });
  });
}

/**
 * By a connection of its own that syncs nothing: its caller syncs the file, once. Nobody acts on a run before its first
 * event, which is synced after that; SQLite would drop the log of an empty database.
 */
function makeTables(files: RunFiles): void {
  const db = connectForWriting(files);
  try {
    setSyncing(db, "OFF");
    if (!createSchema(db)) throw storeRunExists({ run: files.where.run });
    writeAhead(db);
  } finally {
    db.close();
  }
}

/** Raises RUN_FOREIGN, and closes the journal then. */
function assertOwn(journal: Journal): void {
  const reason = journal.foreign();
  if (reason === undefined) return;
  journal.close();
  throw runForeign({ run: journal.run, reason });
}

/** Takes the rights of others away from what belongs to this user. Raises errors of the system. */
function closeToOthers({ directory, journal, seal }: RunFiles): void {
  if (lstatSync(directory).isDirectory()) chmodSync(directory, DIRECTORY_MODE);
  for (const file of [journal, seal, `${journal}-wal`, `${journal}-shm`])
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile()) chmodSync(file, FILE_MODE);
}

function makeDirectories(runsDirectory: string, directory: string): void {
  const first = makeDirectory(runsDirectory, DIRECTORY_MODE);
  if (first !== undefined) {
    chmodSync(runsDirectory, DIRECTORY_MODE);
    for (let made = runsDirectory; made.length >= first.length; made = dirname(made))
      syncDirectory(dirname(made));
  }
  if (makeDirectory(directory, DIRECTORY_MODE) !== undefined) chmodSync(directory, DIRECTORY_MODE);
}

function listRuns(runsDirectory: string): readonly string[] {
  const created: { readonly run: string; readonly createdAtMs: number }[] = [];
  for (const run of readNames(runsDirectory)) {
    const files = runFiles(runsDirectory, run);
    if (files === undefined) continue;
    const journal = statsOf(files.journal);
    // An empty file is a run whose creation was cut off early.
    if (journal === undefined || (journal.size === 0 && !isThere(files.seal))) continue;
    if (isUnfinished(files)) continue;
    created.push({ run, createdAtMs: journal.birthtimeMs });
  }
  created.sort((a, b) => b.createdAtMs - a.createdAtMs || (a.run < b.run ? 1 : -1));
  return created.map(({ run }) => run);
}

/** Undefined where nothing is, also when what should be the directory is a file or leads nowhere. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (["ENOTDIR", "ELOOP"].includes(systemErrorCode(error) ?? "")) return undefined;
    throw error;
  }
}

function readNames(runsDirectory: string): readonly string[] {
  try {
    return readdirSync(runsDirectory);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw error;
  }
}

function assertUnowned(open: () => Journal, isGone: (holder: LeaseHolder) => boolean): void {
  try {
    const journal = open();
    const holder = journal.leaseHolder();
    journal.close();
    if (holder === undefined || isGone(holder)) return;
    throw journalOwned({ run: journal.run, pid: holder.pid, command: holder.command });
  } catch (error) {
    // What is damaged must not be there for ever, and no owner can go on with it.
    if (error instanceof TroupeError && error.code === storeCorrupt.code) return;
    throw error;
  }
}

// Renamed first, so that a removal that is cut off leaves no half of a run in the listing.
function removeDirectory(runsDirectory: string, files: RunFiles): void {
  const doomed = join(runsDirectory, `.removed-${files.where.run}`);
  rmSync(doomed, { recursive: true, force: true });
  renameSync(files.directory, doomed);
  syncDirectory(runsDirectory);
  rmSync(doomed, { recursive: true, force: true });
}

/** How a journal is watched. */
interface FollowOptions {
  readonly clock: Clock;
  readonly pollMs: number;
  readonly afterSeq: number;
}

// Memory stays bounded when somebody follows a long run from its beginning.
const MOST_EVENTS_AT_ONCE = 1000;

/** Follows a journal that it then owns and closes. One call of `next` at a time. */
function createSqliteFollower(
  journal: SqliteJournal,
  { clock, pollMs, afterSeq }: FollowOptions,
): JournalFollower {
  const closed = new AbortController();
  let cursor = afterSeq;
  let seenVersion: number | undefined;
  const readNew = (): readonly JournalEvent[] => {
    // The version is taken before the events: what is committed in between is found again, not missed.
    const version = journal.dataVersion();
    if (version === seenVersion) return [];
    const events = takeFirst(journal.read(cursor));
    if (events.length < MOST_EVENTS_AT_ONCE) seenVersion = version;
    cursor = events.at(-1)?.seq ?? cursor;
    return events;
  };
  return {
    next: async (signal) => {
      const either = AbortSignal.any([signal, closed.signal]);
      for (;;) {
        either.throwIfAborted();
        const events = unlessBusy(readNew);
        if (events.length > 0) return events;
        await delay(clock, pollMs, either);
      }
    },
    close: () => {
      closed.abort();
      journal.close();
    },
  };
}

function takeFirst(events: Iterable<JournalEvent>): readonly JournalEvent[] {
  const taken: JournalEvent[] = [];
  for (const event of events) {
    taken.push(event);
    if (taken.length === MOST_EVENTS_AT_ONCE) break;
  }
  return taken;
}

// Another process that recovers the log keeps readers out for a moment; the next poll will do.
function unlessBusy(read: () => readonly JournalEvent[]): readonly JournalEvent[] {
  try {
    return read();
  } catch (error) {
    if (isStoreBusy(error)) return [];
    throw error;
  }
}
