import { accessSync, constants, lstatSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { openSqlite } from "../foundation/sqlite.ts";
import { systemErrorCode } from "../host/system/system-error.ts";
import { storeUnreadable } from "./errors.ts";
import { CACHE_KIB, CHECKPOINT_PAGES } from "./log-reserve.ts";
import { isUnfinished, type RunFiles } from "./run-files.ts";
import { assertSchema, isBlank } from "./schema.ts";

// While a journal is opened or closed by another process, SQLite takes short exclusive locks that an
// open cannot retry from timers. Afterwards nothing waits inside SQLite, because that blocks the loop.
const OPENING_BUSY_TIMEOUT_MS = 250;

// One large batch does not leave a large log behind for good.
const LOG_LIMIT_BYTES = 16 * 1024 * 1024;

/** A connection that may write, on a file that exists. */
export function connectForWriting(files: RunFiles): DatabaseSync {
  const db = openSqlite(files.journal, { timeout: OPENING_BUSY_TIMEOUT_MS });
  return closeOnError(db, () => {
    setUp(db);
    return db;
  });
}

/** How far a commit is synced: at once; in its turn among those that are; not at all, until what follows is. */
export type Syncing = "FULL" | "NORMAL" | "OFF";

/** How commits are synced from here on. A process that dies loses nothing, whatever is set. */
export function setSyncing(db: DatabaseSync, syncing: Syncing): void {
  db.exec(`PRAGMA synchronous = ${syncing}`);
}

/** Turns a database with tables into one whose commits go to a log ahead, from here on and for every connection. */
export function writeAhead(db: DatabaseSync): void {
  db.exec("PRAGMA journal_mode = WAL");
}

/** Turns a database with tables into a journal that appends: log ahead, every commit synced. Syncs what is there. */
export function setDurable(db: DatabaseSync): void {
  setSyncing(db, "NORMAL");
  writeAhead(db);
  setSyncing(db, "FULL");
  db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}; PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES};
    PRAGMA busy_timeout = 0`);
}

/**
 * A connection to an existing journal of a known format; undefined when the file is missing or its
 * creation was never finished. Raises STORE_FORMAT_UNKNOWN, STORE_CORRUPT and STORE_UNREADABLE.
 */
export function connect(files: RunFiles, mode: "read" | "write"): DatabaseSync | undefined {
  if (!isPlainFile(files) || (mode === "read" && isUnfinished(files))) return undefined;
  // SQLite would only say that it cannot open the file.
  if (mode === "write") accessSync(files.directory, constants.W_OK);
  const db = mode === "write" ? connectForWriting(files) : connectForReading(files);
  return closeOnError(db, () => {
    if (isBlank(db)) {
      db.close();
      return undefined;
    }
    assertSchema(db, files.where);
    if (mode === "write") setDurable(db);
    else db.exec("PRAGMA busy_timeout = 0");
    return db;
  });
}

function connectForReading(files: RunFiles): DatabaseSync {
  const url = pathToFileURL(files.journal);
  // Reading needs a shared-memory file. Where none can be made, nobody can be writing either, unless
  // there is a log; then SQLite finds out by itself whether the two can be read. Readers leave empty logs.
  if (!isWritable(files.directory) && isEmpty(`${files.journal}-wal`))
    url.searchParams.set("immutable", "1");
  const db = openSqlite(url, { readOnly: true, timeout: OPENING_BUSY_TIMEOUT_MS });
  return closeOnError(db, () => {
    setUp(db);
    return db;
  });
}

function setUp(db: DatabaseSync): void {
  db.exec(`PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;
    PRAGMA temp_store = MEMORY; PRAGMA cache_size = -${CACHE_KIB}`);
}

/** Runs `work` with a connection that nobody owns yet: it is closed when that throws. */
export function closeOnError<Value>(db: DatabaseSync, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    db.close();
    throw error;
  }
}

// A link, of the file or of the directory around it, could lead the writes of one run into another file.
function isPlainFile(files: RunFiles): boolean {
  if (lstatSync(files.directory, { throwIfNoEntry: false })?.isSymbolicLink())
    throw storeUnreadable({ ...files.where, problem: "the directory of the run is a link" });
  const stat = lstatSync(files.journal, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (stat.isFile()) return true;
  throw storeUnreadable({ ...files.where, problem: "it is not a plain file" });
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "EACCES" || code === "EROFS") return false;
    throw error;
  }
}

function isEmpty(path: string): boolean {
  return (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
}
