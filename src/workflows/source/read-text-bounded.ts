import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Why a file cannot be read as text. */
export interface UnreadableText {
  readonly problem: string;
  readonly isMissing: boolean;
}

/** The text of a UTF-8 file of at most so many bytes. */
export function readTextBounded(file: string, maxBytes: number): string | UnreadableText {
  let handle: number;
  try {
    // Without O_NONBLOCK opening a pipe would wait for its writer for ever.
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return code === "ENOENT"
      ? { problem: "there is no such file", isMissing: true }
      : { problem: code, isMissing: false };
  }
  try {
    if (!fstatSync(handle).isFile())
      return { problem: "it is not a regular file", isMissing: false };
    return decode(handle, maxBytes);
  } finally {
    closeSync(handle);
  }
}

function decode(handle: number, maxBytes: number): string | UnreadableText {
  const buffer = new Uint8Array(maxBytes + 1);
  let sizeBytes = 0;
  for (let count = -1; count !== 0 && sizeBytes < buffer.length; sizeBytes += count)
    count = readSync(handle, buffer, sizeBytes, buffer.length - sizeBytes, null);
  if (sizeBytes > maxBytes)
    return { problem: `it has more than ${maxBytes / 1024} KiB`, isMissing: false };
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(buffer.subarray(0, sizeBytes));
  } catch {
    return { problem: "it is not UTF-8 text", isMissing: false };
  }
}
