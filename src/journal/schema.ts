import type { DatabaseSync } from "node:sqlite";
import { EVENT_FORMAT_VERSION } from "../contracts/events/event.ts";
import { type JournalPlace, storeCorrupt, storeFormatUnknown } from "./errors.ts";

/**
 * Version of the tables that are made. Those of version 1 have no origin, those of 1 and 2 a row for each event: a run
 * stays in the format that it began in.
 */
const JOURNAL_FORMAT_VERSION = 3;
/** The first version whose rows hold many events, and texts of events once. */
export const BATCHED_FORMAT = 3;
const ORIGIN_FORMAT = 2;

/** Tells a journal from any other SQLite file: "Trpe" in ASCII. */
const JOURNAL_APPLICATION_ID = 0x54727065;

// SQLite keeps these texts as they are, and opening compares them: a table, view or trigger that
// somebody put in or changed is found before any of it is used.
const ORIGIN = "CREATE TABLE origin (id INTEGER PRIMARY KEY, seal TEXT NOT NULL) STRICT";
const HEAD = "CREATE TABLE head (id INTEGER PRIMARY KEY, body TEXT, hash TEXT) STRICT";
const LEASE =
  "CREATE TABLE lease (id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, pid INTEGER, pid_started_at TEXT, boot_id TEXT, socket_path TEXT, command TEXT, renewed_at_ms REAL) STRICT";
const META = "CREATE TABLE meta (id INTEGER PRIMARY KEY, event_format INTEGER NOT NULL) STRICT";
const FIRST_TABLES = [
  "CREATE TABLE blobs (hash TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT",
  "CREATE TABLE events (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL) STRICT",
  HEAD,
  LEASE,
  META,
];
/** The tables of each version, by their names. */
const TABLES_OF = [
  [],
  FIRST_TABLES,
  [...FIRST_TABLES, ORIGIN],
  [
    "CREATE TABLE batches (seq INTEGER PRIMARY KEY, body ANY NOT NULL, hash TEXT NOT NULL) STRICT",
    HEAD,
    LEASE,
    META,
    ORIGIN,
    "CREATE TABLE texts (hash TEXT PRIMARY KEY, body TEXT NOT NULL, named INTEGER NOT NULL) STRICT",
  ],
] as const;

/** Creates the tables in one transaction. False when another process has created them already. */
export function createSchema(db: DatabaseSync): boolean {
  db.exec("BEGIN IMMEDIATE");
  try {
    if (!isBlank(db)) {
      db.exec("ROLLBACK");
      return false;
    }
    db.exec(`${TABLES_OF[JOURNAL_FORMAT_VERSION].join(";")};
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
  if (hasOrigin(db)) return;
  db.exec(`${ORIGIN}; PRAGMA user_version = ${ORIGIN_FORMAT}`);
}

/** Whether there is a place for the seal of an origin. */
export function hasOrigin(db: DatabaseSync): boolean {
  return readFormat(db) >= ORIGIN_FORMAT;
}

/** The version of the tables. */
export function readFormat(db: DatabaseSync): number {
  return readPragma(db, "user_version");
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
  const version = readFormat(db);
  const wanted = version === 0 ? undefined : TABLES_OF[version]?.toSorted();
  if (wanted === undefined)
    throw storeFormatUnknown({
      ...place,
      what: "journal",
      found: version,
      known: JOURNAL_FORMAT_VERSION,
    });
  const tables = readTables(db);
  if (tables.length !== wanted.length || tables.some((sql, index) => sql !== wanted[index]))
    throw notOurs(place, `its tables are not those of format ${version}`);
  const { event_format: eventFormat } =
    db.prepare("SELECT event_format FROM meta WHERE id = 1").get() ?? {};
  if (typeof eventFormat !== "number") throw notOurs(place, "the format of its events is missing");
  if (eventFormat === EVENT_FORMAT_VERSION) return;
  const known = EVENT_FORMAT_VERSION;
  throw storeFormatUnknown({ ...place, what: "event", found: eventFormat, known });
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
