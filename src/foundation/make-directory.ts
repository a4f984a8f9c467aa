import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a directory and what is missing above it; returns the first that was made, undefined when it was there.
 * Raises the system's own errors.
 */
export function makeDirectory(path: string, mode?: number): string | undefined {
  try {
    return mkdirSync(path, { recursive: true, ...(mode === undefined ? {} : { mode }) });
  } catch (error) {
    throw trueReason(path, mode, error);
  }
}

/** Where a file system is read-only, Node says of a recursive call only that the directory is not there. */
function trueReason(path: string, mode: number | undefined, error: unknown): unknown {
  if (!isSystemError(error, "ENOENT")) return error;
  let missing = path;
  while (!existsSync(dirname(missing)) && dirname(missing) !== missing) missing = dirname(missing);
  try {
    mkdirSync(missing, mode);
    return error;
  } catch (reason) {
    return isSystemError(reason, "EROFS") ? reason : error;
  }
}

function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
