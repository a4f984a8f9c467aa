import {
  closeSync,
  constants,
  copyFileSync,
  ftruncateSync,
  lstatSync,
  openSync,
  rmSync,
} from "node:fs";
import type { Clock } from "../foundation/clock.ts";
import { shortenInternal, toErrorReport } from "../foundation/errors.ts";
import { toIsoTime } from "../foundation/iso-time.ts";
import { toPrintable } from "../foundation/printable.ts";

/** What the daemon tells of itself. */
export interface DaemonLog {
  info(text: string): void;
  error(text: string): void;
  /** Tells a failure that nobody else is told. */
  failure(what: string, error: unknown): void;
}

/** Largest log file; the one before it is kept beside it. */
const MAX_LOG_BYTES = 1_048_576;

/** A log of lines with the time, masked and safe to be shown in a terminal. Nothing is masked unless `mask` says so. */
export function createDaemonLog(
  clock: Clock,
  write: (line: string) => void,
  mask: (text: string) => string = (text) => text,
): DaemonLog {
  const tell = (level: string, text: string) =>
    write(`${toIsoTime(clock.now())} ${level} ${toPrintable(mask(text))}\n`);
  const error = (text: string) => tell("error", text);
  return {
    info: (text) => tell("info ", text),
    error,
    failure: (what, thrown) => {
      const report = toErrorReport(thrown);
      const { code, message } = shortenInternal({ ...report, message: mask(report.message) });
      error(`${what}: ${code}: ${message}`);
      if (code === "INTERNAL" && thrown instanceof Error) error(thrown.stack ?? "");
    },
  };
}

/**
 * Keeps a log file below its largest size, whoever writes to it: what it holds moves to `<file>.1`, and the
 * file itself is emptied, so that open descriptors go on with it. What is a link is left alone, here and there.
 */
export function rotateLog(file: string, maxBytes: number = MAX_LOG_BYTES): void {
  const info = lstatSync(file, { throwIfNoEntry: false });
  if (info === undefined || !info.isFile() || info.size <= maxBytes) return;
  rmSync(`${file}.1`, { force: true });
  copyFileSync(file, `${file}.1`, constants.COPYFILE_EXCL);
  const descriptor = openSync(file, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    ftruncateSync(descriptor, 0);
  } finally {
    closeSync(descriptor);
  }
}
