import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { delay } from "../../foundation/abort.ts";
import { systemClock } from "../../foundation/clock.ts";
import { createLineSplitter } from "../../foundation/line-splitter.ts";

const PART_BYTES = 2_097_152;
const MAX_LINE_CHARS = 65_536;
const LOOK_MS = 200;
const NEWLINE = 0x0a;

/** Some lines of a log; longer ones than 64 Ki characters come in pieces. */
export interface LogPart {
  readonly lines: readonly string[];
  /** Where the next part begins. */
  readonly toBytes: number;
}

/** Bytes of a log; undefined if there is none or it cannot be read. */
export function logSize(file: string): number | undefined {
  return withLog(file, (descriptor) => fstatSync(descriptor).size);
}

/**
 * The lines of a log from a position on, at most 2 MiB of them; without the last one as long as it may go on. From
 * the beginning if the log has become shorter; undefined if there is none or it cannot be read.
 */
export function readLog(
  file: string,
  fromBytes: number,
  { isOver = false } = {},
): LogPart | undefined {
  return withLog(file, (descriptor) => {
    const { size } = fstatSync(descriptor);
    const start = size < fromBytes ? 0 : fromBytes;
    const bytes = Buffer.alloc(Math.min(size - start, PART_BYTES));
    const part = bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, start));
    const end = part.lastIndexOf(NEWLINE) + 1;
    // A line as long as the part would never end.
    const isWhole = part.length === PART_BYTES ? end === 0 : isOver;
    const lines: string[] = [];
    const splitter = createLineSplitter(MAX_LINE_CHARS, (line) => lines.push(line));
    splitter.push(isWhole ? part : part.subarray(0, end));
    splitter.end();
    return { lines, toBytes: start + (isWhole ? part.length : end) };
  });
}

/** Hands out the lines of a log from a position on, and those that are added until the signal comes. */
export async function followLog(
  file: string,
  fromBytes: number,
  { write, signal }: { readonly write: (line: string) => void; readonly signal: AbortSignal },
): Promise<void> {
  let atBytes = fromBytes;
  for (let isOver = false; ; isOver = signal.aborted) {
    atBytes = copy(file, atBytes, { write, isOver });
    if (isOver) return;
    // Whoever is told to stop looks once more.
    await delay(systemClock, LOOK_MS, signal).catch(() => {});
  }
}

/** Hands out all lines of a log. */
export function copyLog(file: string, write: (line: string) => void): void {
  copy(file, 0, { write, isOver: true });
}

function copy(
  file: string,
  fromBytes: number,
  { write, isOver }: { readonly write: (line: string) => void; readonly isOver: boolean },
): number {
  let atBytes = fromBytes;
  for (;;) {
    const part = readLog(file, atBytes, { isOver });
    if (part === undefined) return atBytes;
    for (const line of part.lines) write(line);
    if (part.toBytes === atBytes) return atBytes;
    atBytes = part.toBytes;
  }
}

function withLog<Value>(file: string, read: (descriptor: number) => Value): Value | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch {
    return undefined;
  }
  try {
    return read(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
