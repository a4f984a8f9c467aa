import { freeMemory } from "./free-memory.ts";

/** Turns chunks of bytes into lines. Invalid UTF-8 becomes U+FFFD; `\r\n` and `\n` end a line. */
export interface LineSplitter {
  push(chunk: Uint8Array): void;
  /** Leaves out what is still to come of the line at hand, whose first part was just handed out. */
  skipLine(): void;
  /** Hands out what is left, if anything. */
  end(): void;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const NOTHING = Buffer.alloc(0);
const FIRST_BYTES = 4096;
/** Most bytes of memory that stay for the lines to come. */
const MAX_KEPT_BYTES = 1_048_576;
/** Most bytes of UTF-8 that a UTF-16 unit takes. */
const BYTES_PER_CHAR = 3;

/**
 * Calls `onLine` for every line without its end. A line longer than `maxChars` is handed out in parts
 * of that length with `isPartial` true, so that memory stays bounded whatever comes in. What is pushed is not kept:
 * a line is copied while it is not whole, and decoded once.
 */
export function createLineSplitter(
  maxChars: number,
  onLine: (line: string, isPartial: boolean) => void,
): LineSplitter {
  // Most lines come whole and are never held.
  let held = Buffer.allocUnsafeSlow(0);
  let heldBytes = 0;
  // Counted only of what may be too long: for anything shorter its bytes say enough.
  let chars: number | undefined;
  let isSkipping = false;
  const hold = (bytes: Buffer) => {
    if (heldBytes + bytes.length > held.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * (heldBytes + bytes.length)));
      held.copy(larger, 0, 0, heldBytes);
      freeMemory(held);
      held = larger;
    }
    bytes.copy(held, heldBytes);
    heldBytes += bytes.length;
  };
  const empty = () => {
    heldBytes = 0;
    chars = undefined;
    if (held.length <= MAX_KEPT_BYTES) return;
    freeMemory(held);
    held = Buffer.allocUnsafeSlow(0);
  };
  /** Hands out parts for as long as there is more than one of them; tells how many bytes that took. */
  const cut = (line: Buffer): number => {
    let start = 0;
    while (!isSkipping && start < line.length) {
      const length = endOf(line.subarray(start), maxChars);
      if (start + length === line.length) break;
      onLine(line.toString("utf8", start, start + length), true);
      start += length;
    }
    return start;
  };
  const finish = (line: Buffer) => {
    const own = withoutReturn(line);
    const start = cut(own);
    if (!isSkipping) onLine(own.toString("utf8", start), false);
    isSkipping = false;
  };
  const finishHeld = (tail: Buffer) => {
    hold(tail);
    const line = held.subarray(0, heldBytes);
    heldBytes = 0;
    finish(line);
    empty();
  };
  const begin = (piece: Buffer) => {
    if (isSkipping || piece.length === 0) return;
    hold(piece);
    if (heldBytes <= maxChars) return;
    const all = held.subarray(0, heldBytes);
    chars = chars === undefined ? countChars(all) : chars + countChars(piece);
    if (chars <= maxChars && heldBytes <= maxChars * BYTES_PER_CHAR) return;
    // The return may belong to the end of the line.
    const done = cut(withoutReturn(all));
    const rest = isSkipping ? NOTHING : Buffer.from(all.subarray(done));
    empty();
    hold(rest);
  };
  return {
    push: (chunk) => {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        const piece = bytes.subarray(start, end);
        if (heldBytes === 0) finish(piece);
        else finishHeld(piece);
        start = end + 1;
      }
      begin(bytes.subarray(start));
    },
    skipLine: () => {
      isSkipping = true;
    },
    end: () => {
      if (heldBytes > 0) finishHeld(NOTHING);
    },
  };
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
}

/** Where the first `maxChars` characters end; the length of the bytes if there are no more. */
function endOf(bytes: Buffer, maxChars: number): number {
  if (bytes.length <= maxChars) return bytes.length;
  const furthest = Math.min(bytes.length, maxChars * BYTES_PER_CHAR);
  let chars = 0;
  for (let at = 0; at < furthest; at += 1) {
    chars += charsOf(bytes[at] ?? 0);
    if (chars > maxChars) return at;
  }
  return furthest;
}

function countChars(bytes: Buffer): number {
  let chars = 0;
  for (const byte of bytes) chars += charsOf(byte);
  return chars;
}

/** UTF-16 units of the character that begins with this byte of UTF-8; none for a byte that goes on with one. */
function charsOf(byte: number): number {
  if ((byte & 0xc0) === 0x80) return 0;
  return byte >= 0xf0 ? 2 : 1;
}
