import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "../foundation/make-directory.ts";
import type { SecretMasker } from "../foundation/secret-masker.ts";
import { isShortage, outlastShortage, tooManyFiles } from "../foundation/shortage.ts";
import { toDiskError } from "./system/disk-error.ts";
import { logFailed } from "./system/errors.ts";
import { reasonOf } from "./system/system-error.ts";

/** A log file that takes output as it comes. */
export interface OutputLog {
  /** A sink for one stream: masks secrets that are split over its chunks too. */
  stream(): OutputLogStream;
  close(): void;
}

export interface OutputLogStream {
  /** Raises HOST_LOG_FAILED, HOST_DISK_FULL. */
  write(chunk: Buffer): void;
  /** Writes what was held back. Raises HOST_LOG_FAILED, HOST_DISK_FULL. */
  end(): void;
}

/** How a log is kept. */
export interface OutputLogOptions {
  readonly masker: SecretMasker;
  /** Most bytes that stay on the disk, after masking; some of the middle goes for what comes last. */
  readonly maxBytes: number;
}

/**
 * Opens a log file for appending, readable by its owner only; missing directories are made. Writes are
 * synchronous, which bounds memory however fast a program prints. Where too many files are open it
 * waits. Raises HOST_LOG_FAILED, HOST_DISK_FULL, HOST_DISK_READ_ONLY, HOST_TOO_MANY_FILES.
 */
export async function openOutputLog(
  path: string,
  { masker, maxBytes }: OutputLogOptions,
): Promise<OutputLog> {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  const file = await outlastShortage(async () =>
    attempt(path, () => {
      makeDirectory(dirname(path), 0o700);
      return openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
    }),
  );
  const write = (bytes: Buffer) =>
    attempt(path, () => {
      writeAll(file, bytes);
      // Others may append to the same file: only the system knows how long it is.
      if (fstatSync(file).size > maxBytes) shortenLog(path, maxBytes);
    });
  return {
    stream: () => (masker.isEmpty ? { write, end: () => {} } : createMaskedStream(write, masker)),
    close: () => closeSync(file),
  };
}

function createMaskedStream(write: (bytes: Buffer) => void, masker: SecretMasker): OutputLogStream {
  const masked = masker.stream();
  const writeSome = (bytes: Buffer) => {
    if (bytes.length > 0) write(bytes);
  };
  return {
    write: (chunk) => {
      for (const part of masked.push(chunk)) writeSome(part);
    },
    end: () => writeSome(masked.end()),
  };
}

function writeAll(file: number, bytes: Buffer): void {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(file, bytes, offset);
}

function attempt<Result>(path: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    if (isShortage(error)) throw tooManyFiles({ action: `open ${path}` }, { cause: error });
    throw (
      toDiskError(error, path) ?? logFailed({ path, reason: reasonOf(error) }, { cause: error })
    );
  }
}

const PIECE_BYTES = 8 * 1024 * 1024;
const COPY_BYTES = 1024 * 1024;
const MARK = /\n\[troupe: (\d+) bytes were left out here\]\n/;
const MARK_BYTES = 128;

/**
 * Leaves of a log its beginning and its end, each line of Troupe's own between them saying how much is gone: an eighth
 * of `maxBytes` at most at the beginning (8 MiB of 64), and as much again is free for what comes next. Raises errors of
 * the system.
 */
function shortenLog(path: string, maxBytes: number): void {
  const { O_RDWR, O_NOFOLLOW } = constants;
  // Not for appending: the system would put every write at the end.
  const file = openSync(path, O_RDWR | O_NOFOLLOW);
  try {
    const sizeBytes = fstatSync(file).size;
    const pieceBytes = Math.max(1, Math.min(PIECE_BYTES, Math.floor(maxBytes / 8)));
    const headBytes = pieceBytes;
    const tailBytes = Math.max(0, maxBytes - headBytes - pieceBytes);
    if (sizeBytes <= headBytes + tailBytes) return;
    const before = leftOutBefore(file, headBytes);
    const from = sizeBytes - tailBytes;
    const leftOut = before.leftOut + from - headBytes - before.markBytes;
    const mark = Buffer.from(`\n[troupe: ${leftOut} bytes were left out here]\n`);
    writeSync(file, mark, 0, mark.length, headBytes);
    ftruncateSync(file, headBytes + mark.length + moveDown(file, from, headBytes + mark.length));
  } finally {
    closeSync(file);
  }
}

/** What an earlier shortening left out, and how long its line is. */
function leftOutBefore(
  file: number,
  at: number,
): { readonly leftOut: number; readonly markBytes: number } {
  const bytes = Buffer.alloc(MARK_BYTES);
  const read = readSync(file, bytes, 0, MARK_BYTES, at);
  const found = MARK.exec(bytes.toString("latin1", 0, read));
  if (found?.index !== 0) return { leftOut: 0, markBytes: 0 };
  return { leftOut: Number(found[1]), markBytes: found[0].length };
}

/** Copies all from one place of a file to an earlier one; the number of bytes. */
function moveDown(file: number, from: number, to: number): number {
  const buffer = Buffer.alloc(COPY_BYTES);
  for (let moved = 0; ; ) {
    const read = readSync(file, buffer, 0, COPY_BYTES, from + moved);
    if (read === 0) return moved;
    writeSync(file, buffer, 0, read, to + moved);
    moved += read;
  }
}
