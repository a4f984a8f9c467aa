import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { EventLog } from "./event-log.ts";
import { LeaseTable } from "./lease-table.ts";
import { LogReserve } from "./log-reserve.ts";
import { openEventLog } from "./open-event-log.ts";
import type { RunFiles } from "./run-files.ts";
import { connect } from "./sqlite-connection.ts";
import { TextTable } from "./text-table.ts";

/** One connection to a journal with its statements, which a journal at rest does without. */
export interface JournalConnection {
  readonly db: DatabaseSync;
  readonly events: EventLog;
  readonly lease: LeaseTable;
  readonly texts: TextTable;
  readonly reserve: LogReserve;
  readonly begin: StatementSync;
  readonly commit: StatementSync;
  readonly dataVersion: StatementSync;
}

/** A connection with its statements. Raises what SQLite says. */
export function bindConnection(db: DatabaseSync, files: RunFiles): JournalConnection {
  const { where } = files;
  const texts = new TextTable(db, where);
  return {
    db,
    texts,
    events: openEventLog(db, where, texts),
    lease: new LeaseTable(db, where),
    reserve: new LogReserve(db, files),
    begin: db.prepare("BEGIN IMMEDIATE"),
    commit: db.prepare("COMMIT"),
    dataVersion: db.prepare("PRAGMA data_version"),
  };
}

// The database, its log and its shared memory.
const DESCRIPTORS = 3;

/** Connects a journal that had come to rest; undefined when it is gone. Raises EMFILE, where SQLite would not say why. */
export function reconnect(files: RunFiles): JournalConnection | undefined {
  const tried: number[] = [];
  try {
    while (tried.length < DESCRIPTORS) tried.push(openSync(devNull, "r"));
  } finally {
    for (const descriptor of tried) closeSync(descriptor);
  }
  const db = connect(files, "write");
  return db && bindConnection(db, files);
}
