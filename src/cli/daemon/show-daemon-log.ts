import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { daemonFiles } from "../../app/daemon/daemon-files.ts";
import { daemonLogMissing } from "../../app/daemon/errors.ts";
import { delay } from "../../foundation/abort.ts";
import { systemClock } from "../../foundation/clock.ts";
import { createLineSplitter } from "../../foundation/line-splitter.ts";
import { toPrintable } from "../../foundation/printable.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { readCount } from "../read-count.ts";

const SHOWN_LINES = "100";
// The log is emptied when it is longer than one MiB.
const MAX_READ_BYTES = 2_097_152;
const MAX_LINE_CHARS = 65_536;
const LOOK_MS = 200;

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
  const shown: string[] = [];
  const { size, lines: all } = readFrom(file, 0);
  shown.push(...(count === 0 ? [] : all.slice(-count)));
  if (json) {
    io.stdout.write(`${JSON.stringify({ v: 1, file, lines: shown })}\n`);
    return EXIT.completed;
  }
  const write = (line: string) => io.stdout.write(`${toPrintable(line)}\n`);
  for (const line of shown) write(line);
  if (follow) await followLog(file, size, { write, io });
  return EXIT.completed;
}

async function followLog(
  file: string,
  fromBytes: number,
  { write, io }: { readonly write: (line: string) => void } & Pick<Invocation, "io">,
): Promise<void> {
  const over = new AbortController();
  const ends = [io.onSignal(() => over.abort()), io.stdout.onClosed(() => over.abort())];
  let atBytes = fromBytes;
  while (!over.signal.aborted) {
    // Whoever is told to stop looks no more.
    await delay(systemClock, LOOK_MS, over.signal).catch(() => {});
    const { size, lines } = readFrom(file, atBytes);
    for (const line of lines) write(line);
    atBytes = size;
  }
  for (const end of ends) end();
}

/** The whole lines after a position; from the beginning if the file has become shorter. */
function readFrom(
  file: string,
  fromBytes: number,
): { readonly size: number; readonly lines: readonly string[] } {
  const descriptor = open(file);
  try {
    const { size } = fstatSync(descriptor);
    const start = size < fromBytes ? 0 : Math.max(fromBytes, size - MAX_READ_BYTES);
    const bytes = Buffer.alloc(size - start);
    const read = readSync(descriptor, bytes, 0, bytes.length, start);
    const end = bytes.subarray(0, read).lastIndexOf(0x0a) + 1;
    const lines: string[] = [];
    const splitter = createLineSplitter(MAX_LINE_CHARS, (line) => lines.push(line));
    splitter.push(bytes.subarray(0, end));
    return { size: start + end, lines };
  } finally {
    closeSync(descriptor);
  }
}

function open(file: string): number {
  try {
    return openSync(file, "r");
  } catch (error) {
    throw daemonLogMissing({ file }, { cause: error });
  }
}
