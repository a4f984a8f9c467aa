import { copyFileSync, statSync, truncateSync } from "node:fs";
import type { Clock } from "../foundation/clock.ts";
import { toErrorReport } from "../foundation/errors.ts";
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

/** A log of lines with the time, safe to be shown in a terminal. */
export function createDaemonLog(clock: Clock, write: (line: string) => void): DaemonLog {
  const tell = (level: string, text: string) =>
    write(`${toIsoTime(clock.now())} ${level} ${toPrintable(text)}\n`);
  const error = (text: string) => tell("error", text);
  return {
    info: (text) => tell("info ", text),
    error,
    failure: (what, thrown) => {
      const { code, message } = toErrorReport(thrown);
      error(`${what}: ${code}: ${message}`);
      if (code === "INTERNAL" && thrown instanceof Error) error(thrown.stack ?? "");
    },
  };
}

/**
 * Keeps a log file below its largest size, whoever writes to it: what it holds moves to `<file>.1`, and the
 * file itself is emptied, so that open descriptors go on with it.
 */
export function rotateLog(file: string, maxBytes: number = MAX_LOG_BYTES): void {
  const info = statSync(file, { throwIfNoEntry: false });
  if (info === undefined || info.size <= maxBytes) return;
  copyFileSync(file, `${file}.1`);
  truncateSync(file, 0);
}
