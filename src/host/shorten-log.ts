import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";

const PIECE_BYTES = 8 * 1024 * 1024;
const COPY_BYTES = 1024 * 1024;
const MARK = /\n\[troupe: (\d+) bytes were left out here\]\n/;
const MARK_BYTES = 128;

/**
 * Leaves of a log its beginning and its end, each line of Troupe's own between them saying how much is gone: an eighth
 * of `maxBytes` at most at the beginning (8 MiB of 64), and as much again is free for what comes next. Raises errors of
 * the system.
 */
export function shortenLog(path: string, maxBytes: number): void {
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
