/** A text that keeps only its end: what is beyond `maxChars` is dropped from the front. */
export interface BoundedText {
  append(text: string): void;
  /** Forgets all of it; what was taken of memory is used again. */
  clear(): void;
  /** The end of all that was appended, at most `maxChars` long, never half a surrogate pair. */
  readonly text: string;
  /** All characters that were appended, kept or not. */
  readonly totalChars: number;
  readonly isTruncated: boolean;
}

// What a program prints fast is kept as bytes beside the heap: strings that live a while wait there, dead, for a
// collection of all garbage, and so would all that it prints.
const HEAP_CHARS = 64 * 1024;
const PIECES = 1024;
const CHAR_BYTES = 2;

/** A bounded text of at most `maxChars` UTF-16 units, and at most twice that in memory. */
export function createBoundedText(maxChars: number): BoundedText {
  const heapChars = Math.min(HEAP_CHARS, maxChars);
  let pieces: string[] = [];
  let pieceChars = 0;
  let ring: TextRing | undefined;
  let totalChars = 0;
  const toRing = () => {
    ring ??= new TextRing(maxChars);
    for (const piece of pieces) ring.append(piece);
    pieces = [];
    pieceChars = 0;
  };
  return {
    append: (text) => {
      totalChars += text.length;
      pieceChars += text.length;
      pieces.push(text);
      if (pieceChars > heapChars) toRing();
      else if (pieces.length > PIECES) pieces = [pieces.join("")];
    },
    clear: () => {
      pieces = [];
      pieceChars = 0;
      totalChars = 0;
      ring?.clear();
    },
    get text() {
      const joined = (ring?.text ?? "") + pieces.join("");
      return totalChars > maxChars
        ? joined.slice(Math.max(0, joined.length - maxChars)).toWellFormed()
        : joined;
    },
    get totalChars() {
      return totalChars;
    },
    get isTruncated() {
      return totalChars > maxChars;
    },
  };
}

/** The last UTF-16 units of a text, in bytes that grow up to what is kept. */
class TextRing {
  readonly #maxBytes: number;
  #bytes = Buffer.alloc(0);
  /** Where the next unit goes; all before it, and after it once it is full, is kept. */
  #at = 0;
  #isFull = false;

  constructor(maxChars: number) {
    this.#maxBytes = maxChars * CHAR_BYTES;
  }

  append(text: string): void {
    const maxChars = this.#maxBytes / CHAR_BYTES;
    const end = text.length > maxChars ? text.slice(text.length - maxChars) : text;
    this.#grow(this.#at + end.length * CHAR_BYTES);
    const written = this.#write(end);
    if (written === end.length) return;
    this.#isFull = true;
    this.#at = 0;
    this.#write(end.slice(written));
  }

  clear(): void {
    this.#at = 0;
    this.#isFull = false;
  }

  get text(): string {
    const before = this.#isFull ? this.#bytes.toString("utf16le", this.#at) : "";
    return before + this.#bytes.toString("utf16le", 0, this.#at);
  }

  /** Writes what fits up to the end of the bytes; the number of units. */
  #write(text: string): number {
    const written = this.#bytes.write(text, this.#at, "utf16le");
    this.#at += written;
    return written / CHAR_BYTES;
  }

  #grow(neededBytes: number): void {
    const sizeBytes = Math.min(this.#maxBytes, neededBytes);
    if (this.#bytes.length >= sizeBytes) return;
    const grown = Buffer.alloc(
      Math.min(this.#maxBytes, Math.max(sizeBytes, this.#bytes.length * 2)),
    );
    this.#bytes.copy(grown);
    this.#bytes = grown;
  }
}
