import { randomUUID } from "node:crypto";
import { lstatSync, readFileSync, renameSync, rmSync, type Stats, writeFileSync } from "node:fs";
import { systemErrorCode } from "../host/system-error.ts";

/**
 * Replaces a file by one that only this user can read: a reader sees the old text or the new one, also after
 * a power loss. Raises errors of the system.
 */
export function replacePrivateFile(file: string, text: string): void {
  const fresh = `${file}.${randomUUID()}`;
  try {
    writeFileSync(fresh, text, { mode: 0o600, flag: "wx", flush: true });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** The text of a file; undefined when there is none. Raises errors of the system. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/**
 * Why the content of a file cannot be believed; undefined when only this user can have written it, or nobody.
 * `mayNot` are the rights that nobody else may have; by default to write.
 */
export function distrust(file: string, mayNot: number = 0o022): string | undefined {
  const info = look(file);
  if (info === undefined) return undefined;
  if (!info.isFile()) return "it is not a plain file";
  if (info.uid !== process.getuid?.()) return "it belongs to another user";
  if ((info.mode & 0o022) !== 0) return "others may write to it";
  return (info.mode & mayNot) === 0 ? undefined : "others may read it";
}

function look(file: string): Stats | undefined {
  try {
    return lstatSync(file);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
