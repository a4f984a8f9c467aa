import { daemonFiles } from "../../app/background/daemon-files.ts";
import { daemonLogMissing } from "../../app/background/errors.ts";
import { toPrintable } from "../../foundation/printable.ts";
import type { Invocation } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { readCount } from "../command/read-count.ts";
import { followLog, logSize, readLog } from "../terminal/log-file.ts";

const SHOWN_LINES = "100";
// The log is emptied when it is longer than one MiB.
const MAX_READ_BYTES = 2_097_152;

/** Which part of the log is shown, and how. */
export interface LogOptions {
  readonly follow: boolean;
  readonly lines?: string;
  readonly json: boolean;
}

/** Shows the end of the daemon's log, and with `follow` what is added, until Ctrl-C. Raises DAEMON_LOG_MISSING. */
export async function showDaemonLog(
  { follow, lines = SHOWN_LINES, json }: LogOptions,
  { io }: Invocation,
): Promise<number> {
  const count = readCount(lines, "-n");
  const file = daemonFiles(io.env).log;
  const size = logSize(file);
  if (size === undefined) throw daemonLogMissing({ file });
  const part = readLog(file, Math.max(0, size - MAX_READ_BYTES));
  const { lines: all, toBytes } = part ?? { lines: [], toBytes: size };
  const shown = count === 0 ? [] : all.slice(-count);
  if (json) {
    io.stdout.write(`${JSON.stringify({ v: 1, file, lines: shown })}\n`);
    return EXIT.completed;
  }
  const write = (line: string) => io.stdout.write(`${toPrintable(line)}\n`);
  for (const line of shown) write(line);
  if (follow) await followUntilStopped(file, toBytes, { write, io });
  return EXIT.completed;
}

async function followUntilStopped(
  file: string,
  fromBytes: number,
  { write, io }: { readonly write: (line: string) => void } & Pick<Invocation, "io">,
): Promise<void> {
  const over = new AbortController();
  const ends = [io.onSignal(() => over.abort()), io.stdout.onClosed(() => over.abort())];
  await followLog(file, fromBytes, { write, signal: over.signal });
  for (const end of ends) end();
}
