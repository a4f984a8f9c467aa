import type { DatabaseSync } from "node:sqlite";
import { BatchTable } from "./batch-table.ts";
import type { JournalPlace } from "./errors.ts";
import type { EventLog } from "./event-log.ts";
import { EventTable } from "./event-table.ts";
import { BATCHED_FORMAT, readFormat } from "./schema.ts";
import type { TextTable } from "./text-table.ts";

/** The events of a journal in the format that it began in. */
export function openEventLog(db: DatabaseSync, place: JournalPlace, texts: TextTable): EventLog {
  return readFormat(db) < BATCHED_FORMAT
    ? new EventTable(db, place)
    : new BatchTable(db, place, texts);
}
