import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { systemErrorCode } from "../system/system-error.ts";

const MAX_LINE_BYTES = 4096;

/** The text of a plain file; empty when there is none, or it is of another kind or larger than what is looked for. */
export function readRegularFile(path: string, maxBytes: number): string {
  let handle: number;
  try {
    // Whoever opens a pipe otherwise waits for its other end.
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = systemErrorCode(error) ?? "";
    if (["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"].includes(code)) return "";
    throw error;
  }
  try {
    const stat = fstatSync(handle);
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(handle, "utf8") : "";
  } finally {
    closeSync(handle);
  }
}

/** The first line of such a file, without spaces around it. */
export function readFirstLine(path: string): string {
  return readRegularFile(path, MAX_LINE_BYTES).split("\n", 1)[0]?.trim() ?? "";
}
