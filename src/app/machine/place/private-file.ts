import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { distrustFile } from "../../../host/owned-place.ts";
import { reasonOf, systemErrorCode } from "../../../host/system/system-error.ts";

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

function isAbsence(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/**
 * The JSON of a file that Troupe itself writes; undefined when there is none. `unreadable` makes what is raised when others
 * could have written it, when it cannot be read, and when it is no JSON.
 */
export function readBelievedJson(
  file: string,
  unreadable: (problem: string, cause?: unknown) => Error,
): unknown {
  let text: string | undefined;
  let problem: string | undefined;
  try {
    problem = distrustFile(file);
    if (problem === undefined) text = readIfThere(file);
  } catch (error) {
    throw unreadable(reasonOf(error), error);
  }
  if (problem !== undefined) throw unreadable(problem);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable("it is no JSON", error);
  }
}
