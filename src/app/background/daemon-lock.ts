import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { isRecord } from "../../foundation/json.ts";
import { makeDirectory } from "../../foundation/make-directory.ts";
import { openSqlite } from "../../foundation/sqlite.ts";
import { reasonOf } from "../../host/system/system-error.ts";
import { daemonUnwritable } from "./errors.ts";

/** The right to be the daemon of this user. */
export interface DaemonLock {
  release(): void;
}

const SQLITE_BUSY = 5;

/**
 * Takes the lock that one daemon at a time can hold; undefined when another one does. It is a lock of the
 * system on a file, so it is free at the moment its holder dies, however it dies. Raises
 * DAEMON_STATE_UNWRITABLE.
 */
export function takeDaemonLock(file: string): DaemonLock | undefined {
  let database: DatabaseSync | undefined;
  try {
    makeDirectory(dirname(file), 0o700);
    database = openSqlite(file);
    chmodSync(file, 0o600);
    // Never committed: nothing is to be written, only the lock is of use.
    database.exec("BEGIN IMMEDIATE");
    const held = database;
    return { release: () => held.close() };
  } catch (error) {
    database?.close();
    if (isRecord(error) && error["errcode"] === SQLITE_BUSY) return undefined;
    const reason = reasonOf(error);
    const isOfDatabase = error instanceof Error && reason.startsWith("ERR_");
    const problem = isOfDatabase ? error.message : reason;
    throw daemonUnwritable({ path: dirname(file), problem }, { cause: error });
  }
}
