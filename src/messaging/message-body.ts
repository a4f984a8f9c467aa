import type { Message } from "../contracts/message.ts";

/** Texts that take more bytes in UTF-8 than this lie in the journal under their hash. */
export const MAX_TRAVELLING_BYTES = 16_384;

/** Length of what travels instead, in UTF-16 units. */
const SHORT_CHARS = 2000;
// A beginning that ends at a line or a word is worth losing some of it, not most.
const LEAST_SHORT_CHARS = SHORT_CHARS / 2;
const SPACE_PATTERN = /\s/;

/** The beginning of a long text, exactly as it stands there, up to the end of a line or else of a word. */
export function shortForm(text: string): string {
  if (text.length <= SHORT_CHARS) return text;
  const line = text.lastIndexOf("\n", SHORT_CHARS);
  if (line >= LEAST_SHORT_CHARS) return text.slice(0, line);
  for (let end = SHORT_CHARS; end >= LEAST_SHORT_CHARS; end -= 1)
    if (SPACE_PATTERN.test(text.charAt(end))) return text.slice(0, end);
  return text.slice(0, wholeCharacters(text, SHORT_CHARS));
}

/** The greatest end up to `end` that does not lie inside of a character. */
export function wholeCharacters(text: string, end: number): number {
  const isInside = /[\ud800-\udbff]/.test(text.charAt(end - 1)) && end < text.length;
  return isInside ? end - 1 : end;
}

/** What the reader of a short form should know, in one line; undefined for a message that is whole. */
export function describeRest({ text, body }: Pick<Message, "text" | "body">): string | undefined {
  if (body === undefined) return undefined;
  return `This is the beginning of ${body.sizeBytes} bytes. Get the rest with resource_read, ref "${body.ref}", offset ${text.length}.`;
}
