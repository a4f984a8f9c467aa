import { toPrintable } from "../../../foundation/printable.ts";

/** What an excerpt of a text looks like. */
export interface ExcerptOptions {
  /** Longest result, in UTF-16 units, the mark of what is left out not counted. */
  readonly maxChars: number;
  /** Marks that something is left out. */
  readonly ellipsis: string;
}

// Enough for any line that is shown; the rest of a long text is not even looked at.
const MAX_SCANNED_CHARS = 8192;

// Nobody reads more than this in one line; what is left out is said.
const MAX_WHOLE_CHARS = 2000;

/**
 * A text that somebody is to decide on, as one printable line. Nothing of it is hidden but what lies
 * beyond 2,000 characters, and then their number is given.
 */
export function wholeLine(text: string): string {
  const line = toPrintable(text.trim());
  const more = line.length - MAX_WHOLE_CHARS;
  if (more <= 0) return line;
  return `${line.slice(0, MAX_WHOLE_CHARS).toWellFormed()} (and ${more} more characters)`;
}

/** The first line of a text that is not empty, printable, cut to its beginning when it is too long. */
export function excerpt(text: string, { maxChars, ellipsis }: ExcerptOptions): string {
  const scanned = text.trimStart().slice(0, MAX_SCANNED_CHARS).trimEnd();
  const [first = ""] = scanned.split(/[\r\n]/u, 1);
  const line = toPrintable(first).trim();
  if (line.length > maxChars) return `${line.slice(0, maxChars).toWellFormed()}${ellipsis}`;
  return first.length < scanned.length ? `${line} ${ellipsis}` : line;
}
