import type { TurnReader } from "../../../../src/agents/backends/parts/turn-reader.ts";
import type { TurnUpdate } from "../../../../src/contracts/backend.ts";
import { createLineSplitter } from "../../../../src/foundation/line-splitter.ts";

const MAX_LINE_CHARS = 32 * 1024 * 1024;

/** The lines of what a program printed in these chunks. */
export function linesOf(chunks: Iterable<Uint8Array>): readonly string[] {
  const lines: string[] = [];
  const splitter = createLineSplitter(MAX_LINE_CHARS, (line) => void lines.push(line));
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

/** What a fresh reader makes of what a program printed in these chunks. */
export function replay(
  createReader: () => TurnReader,
  chunks: Iterable<Uint8Array>,
): readonly TurnUpdate[] {
  const reader = createReader();
  return linesOf(chunks).flatMap((line) => reader.take(line));
}

/** One chunk for each byte. */
export function* byteByByte(bytes: Uint8Array): Generator<Uint8Array> {
  for (let index = 0; index < bytes.length; index += 1) yield bytes.subarray(index, index + 1);
}

// So much of its neighbours stands around a line: enough for the end of the one and the beginning of the other.
const NEIGHBOUR_BYTES = 8;

/**
 * The places where a cut between two chunks changes the lines; none of them in a right splitter. Every byte
 * of every line is tried, in the line alone: what is farther away, a splitter has forgotten. Lines in
 * `known` were tried before; new ones are added to it.
 */
export function harmfulCuts(bytes: Buffer, known: Set<string>): readonly number[] {
  const harmful: number[] = [];
  for (const { start, end } of lineRanges(bytes)) {
    const text = bytes.toString("latin1", start, end);
    if (known.has(text)) continue;
    known.add(text);
    const from = Math.max(0, start - NEIGHBOUR_BYTES);
    const until = end + NEIGHBOUR_BYTES;
    const expected = linesOf([bytes.subarray(from, until)]).join("\n");
    for (let cut = start; cut < end; cut += 1) {
      const found = linesOf([bytes.subarray(from, cut), bytes.subarray(cut, until)]).join("\n");
      if (found !== expected) harmful.push(cut);
    }
  }
  return harmful;
}

interface Range {
  readonly start: number;
  /** Behind the newline. */
  readonly end: number;
}

function lineRanges(bytes: Uint8Array): readonly Range[] {
  const ranges: Range[] = [];
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    ranges.push({ start, end });
    start = end;
  }
  return ranges;
}
