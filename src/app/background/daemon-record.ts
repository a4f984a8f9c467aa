import { randomBytes, timingSafeEqual } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { isRecord } from "../../foundation/json.ts";
import { makeDirectory } from "../../foundation/make-directory.ts";
import { isShortage } from "../../foundation/shortage.ts";
import { openSqlite } from "../../foundation/sqlite.ts";
import { distrustFile } from "../../host/owned-place.ts";
import { reasonOf } from "../../host/system/system-error.ts";
import { readIfThere, replacePrivateFile } from "../machine/place/private-file.ts";
import type { DaemonFiles } from "./daemon-files.ts";
import { daemonUnwritable } from "./errors.ts";

const record = z.object({
  pid: z.number(),
  /** ISO time. */
  startedAt: z.string(),
  version: z.string(),
  socket: z.string(),
});

/** What `daemon.json` says of the daemon that runs, or ran last. */
export type DaemonRecord = z.infer<typeof record>;

/** How to reach a daemon. */
export interface DaemonContact {
  readonly record: DaemonRecord;
  readonly token: string;
}

const TOKEN_BYTES = 32;

/**
 * How to reach the daemon that the files tell of; undefined when they tell of none, or when somebody else
 * may have written them: requests carry the user's environment, which must not go to a stranger. Raises errors
 * of the system when it is short of something.
 */
export function readContact({ record: file, token }: DaemonFiles): DaemonContact | undefined {
  try {
    if (distrustFile(file) !== undefined || distrustFile(token, 0o077) !== undefined)
      return undefined;
    const [text, secret] = [readIfThere(file), readIfThere(token)];
    if (text === undefined || secret === undefined) return undefined;
    return { record: record.parse(JSON.parse(text)), token: secret.trim() };
  } catch (error) {
    // That the system is short of descriptors says nothing of any daemon.
    if (isShortage(error)) throw error;
    // A file that cannot be read or is half of one tells of nobody; who starts anew writes it anew.
    return undefined;
  }
}

/** A token that nobody can guess. */
export function createToken(): string {
  return randomBytes(TOKEN_BYTES).toString("hex");
}

/** Writes down how a daemon is reached. Raises errors of the system. */
export function writeContact(files: DaemonFiles, { record: contact, token }: DaemonContact): void {
  // The token first: whoever reads the record may use it at once.
  replacePrivateFile(files.token, `${token}\n`);
  replacePrivateFile(files.record, `${JSON.stringify({ v: 1, ...contact }, null, 2)}\n`);
}

/** Takes away what tells of this daemon. */
export function removeContact(files: DaemonFiles): void {
  for (const file of [files.record, files.token]) rmSync(file, { force: true });
}

/** Whether two tokens are the same, in a time that tells nothing of where they differ. */
export function isSameToken(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

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
