import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import {
  type AccountLedger,
  type AccountPace,
  type AccountRecord,
  accountPaceSchema,
  type RunningAccountTurn,
} from "../contracts/accounts.ts";
import { makeDirectory } from "../foundation/make-directory.ts";
import { openSqlite } from "../foundation/sqlite.ts";
import type { OwnerBeats } from "./owner-beats.ts";
import { onDisk } from "./system/disk-error.ts";
import type { ProcessTable } from "./system/process-entry.ts";
import type { ProcessIdentity } from "./system/process-identity.ts";

export interface HostAccountsOptions {
  /** The shared file of this user; its directory is made if need be. */
  readonly path: string;
  readonly identity: ProcessIdentity;
  readonly table: ProcessTable;
  /** Signs of life of owners on other hosts and in other containers. */
  readonly beats: OwnerBeats;
}

/** The accounts that all processes of this user on this machine share. */
export function openHostAccounts(options: HostAccountsOptions): AccountLedger {
  const database = onDisk(options.path, () => openDatabase(options.path));
  const entered = new Set<string>();
  const stopBeats = options.beats.keep(dirname(options.path), options.identity);
  let isClosed = false;
  return {
    update: (account, change) =>
      onDisk(options.path, () =>
        inTransaction(database, () => {
          const before = readRecord(database, account, options);
          const { record, result } = change(before);
          for (const id of writeRecord(database, account, { before, after: record, ...options }))
            entered.add(id);
          return result;
        }),
      ),
    close: () => {
      if (isClosed) return;
      isClosed = true;
      stopBeats();
      const remove = database.prepare("DELETE FROM accountTurns WHERE id = ?");
      for (const id of entered) remove.run(id);
      database.close();
    },
  };
}

function openDatabase(path: string): DatabaseSync {
  makeDirectory(dirname(path), 0o700);
  const database = openSqlite(path, { timeout: 2000 });
  // After a power loss no turn runs, and a cooldown that is forgotten begins anew. Nothing needs to be synced.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
  database.exec(
    "CREATE TABLE IF NOT EXISTS accounts (account TEXT PRIMARY KEY, pace TEXT NOT NULL);" +
      "CREATE TABLE IF NOT EXISTS accountTurns (id TEXT PRIMARY KEY, account TEXT NOT NULL, enteredMs REAL NOT NULL," +
      " pid INTEGER NOT NULL, startedAt TEXT NOT NULL, bootId TEXT NOT NULL)",
  );
  return database;
}

function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

function readRecord(
  database: DatabaseSync,
  account: string,
  options: HostAccountsOptions,
): AccountRecord {
  const row = database.prepare("SELECT pace FROM accounts WHERE account = ?").get(account);
  return { pace: parsePace(row?.["pace"]), turns: readTurns(database, account, options) };
}

function readTurns(
  database: DatabaseSync,
  account: string,
  { path, table, beats }: HostAccountsOptions,
): readonly RunningAccountTurn[] {
  const directory = dirname(path);
  const rows = database.prepare("SELECT * FROM accountTurns WHERE account = ?").all(account);
  return rows.flatMap(({ id, enteredMs, pid, startedAt, bootId }) => {
    if (typeof id !== "string" || typeof enteredMs !== "number") return [];
    const isKnown =
      typeof pid === "number" && typeof startedAt === "string" && typeof bootId === "string";
    if (isKnown && beats.isHeld(directory, { owner: { pid, startedAt, bootId }, table }))
      return [{ id, enteredMs }];
    database.prepare("DELETE FROM accountTurns WHERE id = ?").run(id);
    return [];
  });
}

/** What another version has left there counts as nothing. */
function parsePace(stored: unknown): AccountPace | undefined {
  if (typeof stored !== "string") return undefined;
  try {
    return accountPaceSchema.safeParse(JSON.parse(stored)).data;
  } catch {
    return undefined;
  }
}

interface RecordChange extends HostAccountsOptions {
  readonly before: AccountRecord;
  readonly after: AccountRecord;
}

/** Writes what has changed; returns the ids of turns that are new. */
function writeRecord(
  database: DatabaseSync,
  account: string,
  { before, after, identity }: RecordChange,
): readonly string[] {
  if (after.pace === undefined && before.pace !== undefined)
    database.prepare("DELETE FROM accounts WHERE account = ?").run(account);
  if (after.pace !== undefined && after.pace !== before.pace)
    database
      .prepare("INSERT OR REPLACE INTO accounts VALUES (?, ?)")
      .run(account, JSON.stringify(after.pace));
  const kept = new Set(after.turns.map(({ id }) => id));
  for (const { id } of before.turns)
    if (!kept.has(id)) database.prepare("DELETE FROM accountTurns WHERE id = ?").run(id);
  const known = new Set(before.turns.map(({ id }) => id));
  const added = after.turns.filter(({ id }) => !known.has(id));
  const { pid, startedAt, bootId } = identity;
  for (const { id, enteredMs } of added)
    database
      .prepare("INSERT INTO accountTurns VALUES (?, ?, ?, ?, ?, ?)")
      .run(id, account, enteredMs, pid, startedAt, bootId);
  return added.map(({ id }) => id);
}
