import type { DatabaseSync } from "node:sqlite";
import { EVENT_FORMAT_VERSION } from "../contracts/events/event.ts";
import { type JournalPlace, storeCorrupt, storeFormatUnknown } from "./errors.ts";

/** Version of the tables that are made. Those of version 1 have no origin, and are read as they are. */
const JOURNAL_FORMAT_VERSION = 2;

/** Tells a journal from any other SQLite file: "Trpe" in ASCII. */
const JOURNAL_APPLICATION_ID = 0x54727065;

// SQLite keeps these texts as they are, and opening compares them: a table, view or trigger that
// somebody put in or changed is found before any of it is used.
const ORIGIN = "CREATE TABLE origin (id INTEGER PRIMARY KEY, seal TEXT NOT NULL) STRICT";
const FIRST_TABLES = [
  "CREATE TABLE blobs (hash TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT",
  "CREATE TABLE events (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL) STRICT",
  "CREATE TABLE head (id INTEGER PRIMARY KEY, body TEXT, hash TEXT) STRICT",
  "CREATE TABLE lease (id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, pid INTEGER, pid_started_at TEXT, boot_id TEXT, socket_path TEXT, command TEXT, renewed_at_ms REAL) STRICT",
  "CREATE TABLE meta (id INTEGER PRIMARY KEY, event_format INTEGER NOT NULL) STRICT",
];
const TABLES = [...FIRST_TABLES, ORIGIN].toSorted();

/** Creates the tables in one transaction. False when another process has created them already. */
export function createSchema(db: DatabaseSync): boolean {
  db.exec("BEGIN IMMEDIATE");
  try {
    if (!isBlank(db)) {
      db.exec("ROLLBACK");
      return false;
    }
    db.exec(`${TABLES.join(";")};
      INSERT INTO meta VALUES (1, ${EVENT_FORMAT_VERSION});
      INSERT INTO head (id) VALUES (1);
      INSERT INTO lease (id, epoch) VALUES (1, 0);
      PRAGMA application_id = ${JOURNAL_APPLICATION_ID};
      PRAGMA user_version = ${JOURNAL_FORMAT_VERSION};
      COMMIT`);
    return true;
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/** Gives a journal of version 1 the table that it lacks. In a transaction of the caller. */
export function addOrigin(db: DatabaseSync): void {
  if (readPragma(db, "user_version") !== 1) return;
  db.exec(`${ORIGIN}; PRAGMA user_version = ${JOURNAL_FORMAT_VERSION}`);
}

/** Whether a file holds nothing yet: its creation was cut off before the first commit. */
export function isBlank(db: DatabaseSync): boolean {
  return (
    readPragma(db, "application_id") === 0 &&
    readPragma(db, "user_version") === 0 &&
    readTables(db).length === 0
  );
}

/** Raises STORE_FORMAT_UNKNOWN for a newer journal and STORE_CORRUPT for what is none. */
export function assertSchema(db: DatabaseSync, place: JournalPlace): void {
  if (readPragma(db, "application_id") !== JOURNAL_APPLICATION_ID)
    throw notOurs(place, "it is not a journal");
  const version = readPragma(db, "user_version");
  if (version !== 1) assertFormat(place, "journal", [version, JOURNAL_FORMAT_VERSION]);
  const wanted = version === 1 ? FIRST_TABLES : TABLES;
  const tables = readTables(db);
  if (tables.length !== wanted.length || tables.some((sql, index) => sql !== wanted[index]))
    throw notOurs(place, `its tables are not those of format ${version}`);
  const { event_format: eventFormat } =
    db.prepare("SELECT event_format FROM meta WHERE id = 1").get() ?? {};
  if (typeof eventFormat !== "number") throw notOurs(place, "the format of its events is missing");
  assertFormat(place, "event", [eventFormat, EVENT_FORMAT_VERSION]);
}

function assertFormat(
  place: JournalPlace,
  what: string,
  [found, known]: readonly [number, number],
): void {
  if (found !== known) throw storeFormatUnknown({ ...place, what, found, known });
}

function readPragma(db: DatabaseSync, name: "application_id" | "user_version"): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}

function readTables(db: DatabaseSync): readonly unknown[] {
  return db
    .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
    .all()
    .map(({ sql }) => sql);
}

function notOurs(place: JournalPlace, problem: string): Error {
  return storeCorrupt({ ...place, problem, firstBadSeq: 1, intactUpTo: 0 });
}
