import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemErrorCode } from "../../host/system-error.ts";

/** How long another process may take for its change. */
const LOCK_TIMEOUT_MS = 2000;

/**
 * Replaces a private file by what `change` makes of its text (undefined when there is none), one process at
 * a time. A reader sees the old text or the new one. The lock is that of a database, which the system frees
 * when its holder dies. Raises errors of the system.
 */
export function changeFileAlone(file: string, change: (text: string | undefined) => string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(`${file}.lock`, { timeout: LOCK_TIMEOUT_MS });
  try {
    chmodSync(`${file}.lock`, 0o600);
    lock.exec("BEGIN EXCLUSIVE");
    replace(file, change(readIfThere(file)));
  } finally {
    lock.close();
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function replace(file: string, text: string): void {
  const fresh = `${file}.${randomUUID()}`;
  try {
    writeFileSync(fresh, text, { mode: 0o600, flag: "wx", flush: true });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
