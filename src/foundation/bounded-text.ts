/** A text that keeps only its end: what is beyond `maxChars` is dropped from the front. */
export interface BoundedText {
  append(text: string): void;
  /** The end of all that was appended, at most `maxChars` long, never half a surrogate pair. */
  readonly text: string;
  /** All characters that were appended, kept or not. */
  readonly totalChars: number;
  readonly isTruncated: boolean;
}

/** A bounded text of at most `maxChars` UTF-16 units, and at most twice that in memory. */
export function createBoundedText(maxChars: number): BoundedText {
  let chunks: string[] = [];
  let kept = 0;
  let totalChars = 0;
  const compact = () => {
    const joined = chunks.join("");
    const text =
      joined.length > maxChars ? joined.slice(joined.length - maxChars).toWellFormed() : joined;
    chunks = [text];
    kept = text.length;
    return text;
  };
  return {
    append: (text) => {
      totalChars += text.length;
      const part = text.length > maxChars ? text.slice(text.length - maxChars) : text;
      chunks.push(part);
      kept += part.length;
      if (kept > maxChars * 2 || chunks.length > 4096) compact();
    },
    get text() {
      return compact();
    },
    get totalChars() {
      return totalChars;
    },
    get isTruncated() {
      return totalChars > maxChars;
    },
  };
}
