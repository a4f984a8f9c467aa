import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { systemErrorCode } from "../system/system-error.ts";
import { readRegularFile } from "./read-regular-file.ts";

const CHUNK_BYTES = 1024 * 1024;
const MAX_POINTER_BYTES = 1024;
const VERSION = "version https://git-lfs.github.com/spec/v1\n";

/**
 * What Git LFS has git store for a file: a pointer to its content, byte for byte, without the program being run.
 * A file that is a pointer already stays as it is. Undefined for what is no plain file.
 */
export function lfsPointer(path: string): string | undefined {
  let handle: number;
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    handle = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    // It may go away, or be forbidden, while it is looked at.
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
  try {
    const stat = fstatSync(handle);
    return stat.isFile() ? pointerOf(handle, stat.size) : undefined;
  } finally {
    closeSync(handle);
  }
}

/** Keeps the content that a pointer stands for where Git LFS looks for it, so that it can be checked out and pushed. */
export function keepLfsObject(commonDirectory: string, file: string, pointer: string): void {
  const [, id] = /\noid sha256:([0-9a-f]{64})\n/.exec(pointer) ?? [];
  if (id === undefined) return;
  const kept = join(commonDirectory, "lfs", "objects", id.slice(0, 2), id.slice(2, 4), id);
  // A pointer that was not replaced by its content yet has nothing to keep.
  if (existsSync(kept) || isPointer(file, pointer)) return;
  mkdirSync(dirname(kept), { recursive: true });
  const part = `${kept}.${process.pid}.part`;
  copyFileSync(file, part);
  renameSync(part, kept);
}

function isPointer(file: string, pointer: string): boolean {
  return readRegularFile(file, MAX_POINTER_BYTES) === pointer;
}

function pointerOf(handle: number, sizeBytes: number): string {
  const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, Math.max(1, sizeBytes)));
  const hash = createHash("sha256");
  let total = 0;
  for (;;) {
    const read = readSync(handle, chunk, 0, chunk.length, null);
    if (read === 0) break;
    const part = chunk.subarray(0, read);
    if (total === 0 && sizeBytes <= MAX_POINTER_BYTES && part.toString().startsWith(VERSION))
      return part.toString();
    hash.update(part);
    total += read;
  }
  // An empty file is stored as it is.
  return total === 0 ? "" : `${VERSION}oid sha256:${hash.digest("hex")}\nsize ${total}\n`;
}
