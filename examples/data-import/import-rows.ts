import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentFunctionInput } from "troupe";
import type { Row } from "./check-rows.ts";

/** How long to wait while somebody else reads or writes the database. */
const LOCKED_TIMEOUT_MS = 5000;

/** Adds the rows to the stock. Lines of the prompt: database, pause in ms, rows as JSON. */
export async function importRows({
  prompt,
  cwd,
  key,
  signal,
}: AgentFunctionInput): Promise<string> {
  const [path = "", pauseMs, json = "[]"] = prompt.split("\n");
  const rows: readonly Row[] = JSON.parse(json);
  const file = resolve(cwd, path);
  mkdirSync(dirname(file), { recursive: true });
  using database = new DatabaseSync(file, { timeout: LOCKED_TIMEOUT_MS });
  database.exec(
    "CREATE TABLE IF NOT EXISTS stock (sku TEXT PRIMARY KEY, quantity INTEGER NOT NULL);" +
      "CREATE TABLE IF NOT EXISTS booked (key TEXT, line INTEGER, PRIMARY KEY (key, line))",
  );
  let bookedNow = 0;
  for (const row of rows) {
    signal.throwIfAborted();
    if (book(database, key, row)) bookedNow += 1;
    await sleep(Number(pauseMs), undefined, { signal });
  }
  return `${rows.length} rows are in ${path}, ${rows.length - bookedNow} of them from an attempt before`;
}

/**
 * Books a row unless it was booked under this key. The key is the same in every attempt and after every
 * crash; that it is written in the transaction of the row itself is what makes this exactly once.
 */
function book(database: DatabaseSync, key: string, { line, sku, quantity }: Row): boolean {
  database.exec("BEGIN IMMEDIATE");
  try {
    const { changes } = database
      .prepare("INSERT OR IGNORE INTO booked (key, line) VALUES (?, ?)")
      .run(key, line);
    if (changes !== 0)
      database
        .prepare(
          "INSERT INTO stock (sku, quantity) VALUES (?, ?)" +
            " ON CONFLICT (sku) DO UPDATE SET quantity = quantity + excluded.quantity",
        )
        .run(sku, Number(quantity));
    database.exec("COMMIT");
    return changes !== 0;
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}
