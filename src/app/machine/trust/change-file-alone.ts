import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "../../../foundation/make-directory.ts";
import { openSqlite } from "../../../foundation/sqlite.ts";
import { readIfThere, replacePrivateFile } from "../place/private-file.ts";

/** How long another process may take for its change. */
const LOCK_TIMEOUT_MS = 2000;

/**
 * Replaces a private file by what `change` makes of its text (undefined when there is none), one process at
 * a time. A reader sees the old text or the new one. The lock is that of a database, which the system frees
 * when its holder dies. Raises errors of the system.
 */
export function changeFileAlone(file: string, change: (text: string | undefined) => string): void {
  makeDirectory(dirname(file), 0o700);
  const lock = openSqlite(`${file}.lock`, { timeout: LOCK_TIMEOUT_MS });
  try {
    chmodSync(`${file}.lock`, 0o600);
    lock.exec("BEGIN EXCLUSIVE");
    replacePrivateFile(file, change(readIfThere(file)));
  } finally {
    lock.close();
  }
}
