/**
 * Owns: `index.db`, a copy of what was last read of runs that are over, so that a listing need not open
 * each of their journals. Does not own: what is true of a run (its journal), when a copy is made (app).
 * I1: an entry counts only together with the signature that the run's files have now.
 * I2: losing or damaging the file costs time and nothing else; it is made anew without a word.
 */
import { lstatSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { sha256 } from "../foundation/hash.ts";
import { isRecord } from "../foundation/json.ts";
import { openSqlite } from "../foundation/sqlite.ts";
import { makePrivateFile } from "./run-files.ts";

/** What the index knows of one run. */
export interface IndexEntry {
  readonly run: string;
  /** Of the run's files when `body` was read. */
  readonly signature: string;
  readonly body: string;
}

/** The open index. Its methods never throw: an index that fails is as good as none. */
export interface RunIndex {
  readonly entries: ReadonlyMap<string, IndexEntry>;
  /** Replaces entries and forgets those of runs that are gone. */
  update(changed: readonly IndexEntry[], gone: readonly string[]): void;
  close(): void;
}

// "Trpi" in ASCII.
const APPLICATION_ID = 0x54727069;
const FORMAT_VERSION = 1;
const BUSY_TIMEOUT_MS = 100;
// What SQLite says of a file that is damaged, and of one that is none of its own: SQLITE_CORRUPT, SQLITE_NOTADB.
const UNFIT: ReadonlySet<number> = new Set([11, 26]);
const TABLE =
  "CREATE TABLE runs (run TEXT PRIMARY KEY, signature TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL) STRICT, WITHOUT ROWID";

/** Opens the index, anew if it is damaged or of another version; undefined where there can be none. */
export function openRunIndex(path: string): RunIndex | undefined {
  try {
    return open(path);
  } catch (error) {
    if (!isUnfit(error) || !isReplaceable(path)) return undefined;
  }
  try {
    for (const suffix of ["", "-journal", "-wal", "-shm"])
      rmSync(`${path}${suffix}`, { force: true });
    return open(path);
  } catch {
    // A directory that cannot be written, a full disk: listings read the journals themselves (I2).
    return undefined;
  }
}

function open(path: string): RunIndex {
  if (!isReplaceable(path)) throw new Error("the index is no plain file");
  makePrivateFile(path);
  const db = openSqlite(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    prepare(db);
    const entries = readEntries(db);
    return {
      entries,
      update: (changed, gone) => ignoringFailures(() => write(db, changed, gone)),
      close: () => ignoringFailures(() => db.close()),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Whether the path is free or holds a plain file: a link could lead into the file of somebody else. */
function isReplaceable(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? true;
}

function prepare(db: DatabaseSync): void {
  db.exec("PRAGMA trusted_schema = OFF; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY");
  const tables = db.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").all();
  if (tables.length === 0) {
    // Another process may have made the table meanwhile.
    db.exec(`BEGIN IMMEDIATE; ${TABLE.replace("TABLE", "TABLE IF NOT EXISTS")};
      PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT_VERSION}; COMMIT`);
    return;
  }
  const isOurs =
    tables.length === 1 &&
    tables[0]?.["sql"] === TABLE &&
    Number(db.prepare("PRAGMA application_id").get()?.["application_id"]) === APPLICATION_ID &&
    Number(db.prepare("PRAGMA user_version").get()?.["user_version"]) === FORMAT_VERSION;
  if (!isOurs) throw new UnfitIndex("the index has another form");
}

function readEntries(db: DatabaseSync): ReadonlyMap<string, IndexEntry> {
  const entries = new Map<string, IndexEntry>();
  for (const row of db.prepare("SELECT run, signature, body, hash FROM runs").all()) {
    const { run, signature, body, hash } = row;
    if (typeof run !== "string" || typeof signature !== "string" || typeof body !== "string")
      throw new UnfitIndex("the index has columns of the wrong type");
    if (hashOf({ run, signature, body }) !== hash) throw new UnfitIndex("the index is damaged");
    entries.set(run, { run, signature, body });
  }
  return entries;
}

function write(db: DatabaseSync, changed: readonly IndexEntry[], gone: readonly string[]): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    const replace = db.prepare("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)");
    const remove = db.prepare("DELETE FROM runs WHERE run = ?");
    for (const entry of changed) replace.run(entry.run, entry.signature, entry.body, hashOf(entry));
    for (const run of gone) remove.run(run);
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

function hashOf({ run, signature, body }: IndexEntry): string {
  return sha256(`${run}\n${signature}\n${body}`);
}

function ignoringFailures(work: () => void): void {
  try {
    work();
  } catch {
    // I2: another process holds the lock, or the disk is full; the next listing tries again.
  }
}

/** Whether it is the content that is wrong: a lock, or too few descriptors, passes and leaves a sound index. */
function isUnfit(error: unknown): boolean {
  if (error instanceof UnfitIndex) return true;
  const { errcode } = isRecord(error) ? error : { errcode: undefined };
  return typeof errcode === "number" && UNFIT.has(errcode & 0xff);
}

class UnfitIndex extends Error {}
