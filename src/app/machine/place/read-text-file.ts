import { constants, type FileHandle, open } from "node:fs/promises";
import { fileNotFound, fileNotText, fileUnreadable } from "../../../workflows/errors.ts";
import { inputTooLarge } from "./errors.ts";

/**
 * The text of a file that was named on the command line. Raises FILE_NOT_FOUND, FILE_UNREADABLE,
 * FILE_NOT_TEXT, FILE_INPUT_TOO_LARGE.
 */
export async function readTextFile(file: string, maxBytes: number): Promise<string> {
  const handle = await openFile(file);
  try {
    return decodeInput(await readBounded(handle, { file, maxBytes }), file);
  } finally {
    await handle.close();
  }
}

/** Bytes as UTF-8 text without a byte order mark. Raises FILE_NOT_TEXT. */
export function decodeInput(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw fileNotText({ file }, { cause: error });
  }
}

/** Opens what may be a file, without waiting for anybody. Raises FILE_NOT_FOUND, FILE_UNREADABLE. */
export async function openFile(file: string): Promise<FileHandle> {
  try {
    // Without O_NONBLOCK opening a pipe would wait for its writer for ever.
    return await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    if (code === "ENOENT") throw fileNotFound({ file, near: [] }, { cause: error });
    throw fileUnreadable({ file, reason: code }, { cause: error });
  }
}

async function readBounded(
  handle: FileHandle,
  { file, maxBytes }: { readonly file: string; readonly maxBytes: number },
): Promise<Uint8Array> {
  const info = await handle.stat();
  if (info.isDirectory()) throw fileUnreadable({ file, reason: "it is a directory" });
  if (!info.isFile()) throw fileUnreadable({ file, reason: "it is not a regular file" });
  if (info.size > maxBytes) throw inputTooLarge({ file, limitBytes: maxBytes });
  const bytes = await handle.readFile();
  if (bytes.length > maxBytes) throw inputTooLarge({ file, limitBytes: maxBytes });
  return bytes;
}
