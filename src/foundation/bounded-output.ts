import { isAscii } from "node:buffer";
import { endOfOutput, type OutputEnd } from "./output-end.ts";

/** The end of what a program prints, kept as bytes: a text of each piece would live until the next collection. */
export interface BoundedOutput {
  /** Takes a copy of what it keeps. */
  push(chunk: Uint8Array): void;
  /** The end of all that was pushed, at most `maxChars` UTF-16 units long, and twice that as JSON. */
  read(): OutputEnd;
}

// A UTF-16 unit takes three bytes at most, and what is no UTF-8 one unit for each byte at least every three.
const BYTES_PER_CHAR = 3;

/** Output of which at most `maxChars` UTF-16 units are kept: in as many bytes, or thrice as many where not all is ASCII. */
export function createBoundedOutput(maxChars: number): BoundedOutput {
  let ring = new ByteRing(maxChars);
  let isPlain = true;
  return {
    push: (chunk) => {
      if (isPlain && !isAscii(chunk)) {
        isPlain = false;
        ring = ring.widened(maxChars * BYTES_PER_CHAR);
      }
      ring.push(chunk);
    },
    read: () => {
      const { bytes, hasLost } = ring;
      // Half a character at its beginning is more than may be kept.
      const { text, isTruncated } = endOfOutput(bytes.toString("utf8"), maxChars);
      return { text, isTruncated: isTruncated || hasLost };
    },
  };
}

/** The last bytes of a stream, in memory that grows up to what is kept. */
class ByteRing {
  readonly #maxBytes: number;
  #ring = Buffer.alloc(0);
  /** Where the next byte goes. */
  #at = 0;
  #isFull = false;
  /** Whether something was pushed that is not kept. */
  hasLost = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** In their order. */
  get bytes(): Buffer {
    const newest = this.#ring.subarray(0, this.#at);
    return this.#isFull ? Buffer.concat([this.#ring.subarray(this.#at), newest]) : newest;
  }

  push(chunk: Uint8Array): void {
    const max = this.#maxBytes;
    if (chunk.length > max) this.hasLost = true;
    const end = chunk.length > max ? chunk.subarray(chunk.length - max) : chunk;
    this.#grow(this.#at + end.length);
    const first = Math.min(end.length, this.#ring.length - this.#at);
    this.#ring.set(end.subarray(0, first), this.#at);
    this.#at += first;
    if (first === end.length) return;
    this.hasLost = true;
    this.#isFull = true;
    this.#ring.set(end.subarray(first), 0);
    this.#at = end.length - first;
  }

  /** The same bytes with room for more. */
  widened(maxBytes: number): ByteRing {
    const wider = new ByteRing(maxBytes);
    wider.push(this.bytes);
    wider.hasLost = this.hasLost;
    return wider;
  }

  #grow(neededBytes: number): void {
    const sizeBytes = Math.min(this.#maxBytes, neededBytes);
    if (this.#ring.length >= sizeBytes) return;
    const grown = Buffer.alloc(
      Math.min(this.#maxBytes, Math.max(sizeBytes, this.#ring.length * 2)),
    );
    this.#ring.copy(grown, 0, 0, this.#at);
    this.#ring = grown;
  }
}
