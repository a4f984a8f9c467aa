import type { Message, ResourcePart } from "../contracts/message.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { resourceLost, unknownResource } from "./errors.ts";
import { wholeCharacters } from "./message-body.ts";

/** Where the texts of a run lie: its fold, and what its journal keeps by hash. */
export interface ResourceSource {
  readonly state: Pick<RunState, "messages">;
  /** A kept text; undefined when there is none of this hash. */
  textOf(ref: string): string | undefined;
}

/** Which part of a text a reader wants. Offset and limit count UTF-16 units. */
export interface ResourceQuery {
  readonly ref: string;
  /** Defaults to 0. */
  readonly offset?: number;
  /** Defaults to 16,000; at most 64,000. */
  readonly limit?: number;
}

const DEFAULT_LIMIT = 16_000;
const MAX_LIMIT = 64_000;

/**
 * A part of a long text that a message of the run refers to; nothing else that the journal keeps can be read
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
