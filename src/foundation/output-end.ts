/** Most characters of an output that are kept, from its end. */
export const MAX_OUTPUT_CHARS = 1_048_576;

/** What is kept of a text, and whether its beginning was cut. */
export interface OutputEnd {
  readonly text: string;
  readonly isTruncated: boolean;
}

// A control character takes six characters of JSON, all others two at most.
const CHARS_OF_ESCAPED = 2;
const CHARS_OF_CODE = 6;

/**
 * The end of a text: at most `maxChars` UTF-16 units (default 1 Mi), and twice that as JSON, which is how every
 * output is stored and handed on. Never half a character.
 */
export function endOfOutput(text: string, maxChars = MAX_OUTPUT_CHARS): OutputEnd {
  const start = Math.max(text.length - maxChars, startOfJson(text, maxChars * 2));
  if (start === 0) return { text, isTruncated: false };
  return { text: text.slice(start).toWellFormed(), isTruncated: true };
}

/** Where the part of a text begins that takes at most `maxChars` as JSON. */
function startOfJson(text: string, maxChars: number): number {
  if (text.length * CHARS_OF_CODE <= maxChars) return 0;
  let room = maxChars;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    room -= jsonCharsOf(text.charCodeAt(at));
    if (room < 0) return at + 1;
  }
  return 0;
}

function jsonCharsOf(unit: number): number {
  if (unit >= 0x20) return unit === 0x22 || unit === 0x5c ? CHARS_OF_ESCAPED : 1;
  // Backspace, tab, line feed, form feed and carriage return have names.
  return unit >= 0x08 && unit <= 0x0d && unit !== 0x0b ? CHARS_OF_ESCAPED : CHARS_OF_CODE;
}
