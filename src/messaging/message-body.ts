import type { Message, ResourcePart } from "../contracts/message.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { resourceLost, unknownResource } from "./errors.ts";

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
function wholeCharacters(text: string, end: number): number {
  const isInside = /[\ud800-\udbff]/.test(text.charAt(end - 1)) && end < text.length;
  return isInside ? end - 1 : end;
}

/** What the reader of a short form should know, in one line; undefined for a message that is whole. */
export function describeRest({ text, body }: Pick<Message, "text" | "body">): string | undefined {
  if (body === undefined) return undefined;
  return `This is the beginning of ${body.sizeBytes} bytes. Get the rest with resource_read, ref "${body.ref}", offset ${text.length}.`;
}

/** Where the texts of a run lie: its fold, and what its journal keeps by hash. */
interface ResourceSource {
  readonly state: Pick<RunState, "messages">;
  /** A kept text; undefined when there is none of this hash. */
  textOf(ref: string): string | undefined;
}

/** Which part of a text a reader wants. Offset and limit count UTF-16 units. */
interface ResourceQuery {
  readonly ref: string;
  /** Defaults to 0. */
  readonly offset?: number;
  /** Defaults to 16,000; at most 64,000. */
  readonly limit?: number;
}

const DEFAULT_LIMIT = 16_000;
const MAX_LIMIT = 64_000;

/**
 * A part of a long text that a message of the run refers to, or the result of a tool; nothing else that the journal keeps can be read
 * so. Never ends inside of a character. Raises MESSAGE_UNKNOWN_RESOURCE, MESSAGE_RESOURCE_LOST, and STORE_*
 * errors of the journal.
 */
export function readResource(source: ResourceSource, query: ResourceQuery): ResourcePart {
  const { ref } = query;
  if (!source.state.messages.bodies.has(ref)) throw unknownResource({ ref });
  const whole = source.textOf(ref);
  if (whole === undefined) throw resourceLost({ ref });
  const offset = Math.min(Math.max(0, query.offset ?? 0), whole.length);
  const limit = Math.min(Math.max(2, query.limit ?? DEFAULT_LIMIT), MAX_LIMIT);
  const end = wholeCharacters(whole, Math.min(offset + limit, whole.length));
  return {
    ref,
    text: whole.slice(offset, end),
    offset,
    ...(end < whole.length ? { next: end } : {}),
    totalChars: whole.length,
  };
}

/** The whole text of a message; its beginning when the journal has lost the rest. */
export function wholeText(
  source: Pick<ResourceSource, "textOf">,
  { text, body }: Pick<Message, "text" | "body">,
): string {
  return body === undefined ? text : (source.textOf(body.ref) ?? text);
}
