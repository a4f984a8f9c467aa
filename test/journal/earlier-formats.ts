import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { RunStore } from "../../src/contracts/ports/store.ts";
import { INSTANCE_PATTERN } from "../../src/foundation/ids.ts";
import { createTemporaryStore, type TemporaryStore } from "./temporary-store.ts";

// What earlier versions of Troupe have made. It never changes: such runs lie in the projects of users.
const FIRST = `CREATE TABLE blobs (hash TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
  CREATE TABLE events (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL) STRICT;
  CREATE TABLE head (id INTEGER PRIMARY KEY, body TEXT, hash TEXT) STRICT;
  CREATE TABLE lease (id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, pid INTEGER, pid_started_at TEXT, boot_id TEXT, socket_path TEXT, command TEXT, renewed_at_ms REAL) STRICT;
  CREATE TABLE meta (id INTEGER PRIMARY KEY, event_format INTEGER NOT NULL) STRICT;
  INSERT INTO meta VALUES (1, 1); INSERT INTO head (id) VALUES (1); INSERT INTO lease (id, epoch) VALUES (1, 0);
  PRAGMA application_id = 0x54727065;`;
const ORIGIN = "CREATE TABLE origin (id INTEGER PRIMARY KEY, seal TEXT NOT NULL) STRICT;";

/** A version of the journal's tables that is made no more. */
export type EarlierFormat = 1 | 2;

/** A store like any other, but its runs begin as an earlier version of Troupe began them. */
export function createEarlierStore(format: EarlierFormat): TemporaryStore {
  const temporary = createTemporaryStore();
  const { store, runsDirectory } = temporary;
  const create: RunStore["create"] = (run) => {
    // What is refused is the store's own matter.
    if (store.has(run) || !INSTANCE_PATTERN.test(run)) return store.create(run);
    makeEarlierJournal(join(runsDirectory, run), format);
    return store.open(run, "write");
  };
  return { ...temporary, store: { ...store, create } };
}

/** Makes the journal of a run that has not begun. */
export function makeEarlierJournal(directory: string, format: EarlierFormat): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, "journal.db");
  writeFileSync(file, "", { mode: 0o600 });
  const db = new DatabaseSync(file);
  db.exec(`${FIRST} ${format === 1 ? "" : ORIGIN} PRAGMA user_version = ${format};
    PRAGMA journal_mode = WAL`);
  db.close();
}
