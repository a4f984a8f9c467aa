import { closeSync, constants, fstatSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "../foundation/make-directory.ts";
import type { SecretMasker } from "../foundation/secret-masker.ts";
import { isShortage, tooManyFiles } from "../foundation/shortage.ts";
import { shortenLog } from "./shorten-log.ts";
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
 * synchronous, which bounds memory however fast a program prints. Raises HOST_LOG_FAILED,
 * HOST_DISK_FULL, HOST_DISK_READ_ONLY.
 */
export function openOutputLog(path: string, { masker, maxBytes }: OutputLogOptions): OutputLog {
  const file = attempt(path, () => {
    makeDirectory(dirname(path), 0o700);
    const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
    return openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  });
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
