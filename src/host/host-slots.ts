import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { delay } from "../foundation/abort.ts";
import type { Clock } from "../foundation/clock.ts";
import { makeDirectory } from "../foundation/make-directory.ts";
import type { Semaphore } from "../foundation/semaphore.ts";
import { openSqlite } from "../foundation/sqlite.ts";
import type { OwnerBeats } from "./owner-beats.ts";
import { onDisk } from "./system/disk-error.ts";
import type { ProcessTable } from "./system/process-entry.ts";
import type { ProcessIdentity } from "./system/process-identity.ts";

/** Places that all processes of this user on this machine share. */
export interface HostSlots extends Semaphore {
  /** Gives all places back that were taken here; those of other runs of this process stay. */
  close(): void;
}

export interface HostSlotsOptions {
  /** The shared file; its directory is made if need be. */
  readonly path: string;
  readonly places: number;
  readonly identity: ProcessIdentity;
  readonly table: ProcessTable;
  readonly clock: Clock;
  /** Signs of life of owners on other hosts and in other containers. */
  readonly beats: OwnerBeats;
}

const POLL_MS = 50;

/**
 * A semaphore across processes. Places of processes that are gone are free: nobody has to give them
 * back after a crash. Waiters look again every 50 ms, so the order among processes is a matter of chance.
 */
export function openHostSlots(options: HostSlotsOptions): HostSlots {
  const { identity, clock } = options;
  const database = onDisk(options.path, () => openDatabase(options.path));
  let waiting = 0;
  let held = 0;
  const stopBeats = options.beats.keep(dirname(options.path), identity);
  const take = () => {
    const isTaken = onDisk(options.path, () => tryTake(database, options));
    if (isTaken) held += 1;
    return isTaken;
  };
  const giveBack = (places: number) => {
    database
      .prepare(
        "DELETE FROM slots WHERE rowid IN (SELECT rowid FROM slots WHERE pid = ? AND startedAt = ? AND bootId = ? LIMIT ?)",
      )
      .run(identity.pid, identity.startedAt, identity.bootId, places);
    held -= places;
  };
  return {
    acquire: async (signal) => {
      waiting += 1;
      try {
        while (!take()) await delay(clock, POLL_MS, signal);
      } finally {
        waiting -= 1;
      }
    },
    release: () => giveBack(1),
    get waiting() {
      return waiting;
    },
    isShared: true,
    close: () => {
      stopBeats();
      giveBack(held);
      database.close();
    },
  };
}

function openDatabase(path: string): DatabaseSync {
  makeDirectory(dirname(path), 0o700);
  const database = openSqlite(path, { timeout: 2000 });
  // Who holds a place is known again after a power loss: nobody. So nothing here needs to be synced.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
  database.exec(
    "CREATE TABLE IF NOT EXISTS slots (pid INTEGER NOT NULL, startedAt TEXT NOT NULL, bootId TEXT NOT NULL)",
  );
  return database;
}

function tryTake(
  database: DatabaseSync,
  { path, places, identity, table, beats }: HostSlotsOptions,
): boolean {
  const directory = dirname(path);
  database.exec("BEGIN IMMEDIATE");
  try {
    const holders = database.prepare("SELECT DISTINCT pid, startedAt, bootId FROM slots").all();
    for (const { pid, startedAt, bootId } of holders) {
      if (typeof pid !== "number" || typeof startedAt !== "string" || typeof bootId !== "string")
        continue;
      if (beats.isHeld(directory, { owner: { pid, startedAt, bootId }, table })) continue;
      database
        .prepare("DELETE FROM slots WHERE pid = ? AND startedAt = ? AND bootId = ?")
        .run(pid, startedAt, bootId);
    }
    const taken = Number(database.prepare("SELECT count(*) AS taken FROM slots").get()?.["taken"]);
    if (taken < places) {
      database
        .prepare("INSERT INTO slots VALUES (?, ?, ?)")
        .run(identity.pid, identity.startedAt, identity.bootId);
    }
    database.exec("COMMIT");
    return taken < places;
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}
