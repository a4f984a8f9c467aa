import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** A bare table of events in SQLite, as durable as a journal must be. */
export interface EventFile {
  /** One transaction. */
  append(events: readonly unknown[]): void;
  /** Every event, parsed. */
  readAll(): unknown[];
  close(): void;
}

export function createEventFile(folder: string): EventFile {
  const database = new DatabaseSync(join(folder, "events.db"));
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec("CREATE TABLE event (seq INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT");
  const insert = database.prepare("INSERT INTO event (body) VALUES (?)");
  const select = database.prepare("SELECT body FROM event ORDER BY seq");
  return {
    append: (events) => {
      database.exec("BEGIN IMMEDIATE");
      for (const event of events) insert.run(JSON.stringify(event));
      database.exec("COMMIT");
    },
    readAll: () => select.all().map((row) => JSON.parse(String(row["body"]))),
    close: () => database.close(),
  };
}
