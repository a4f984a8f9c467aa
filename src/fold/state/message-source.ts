import type { EventOf, JournalEvent } from "../../contracts/events/event.ts";
import { MAIN_CHANNEL, type Message } from "../../contracts/message.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import { indexedAt } from "../../foundation/text-index.ts";
import type { RunState } from "./run-state.ts";

/** Where the messages of a run are found: the newest in its fold, all in its journal. */
export interface MessageSource {
  readonly state: RunState;
  /** The events after a place, durable or not, oldest first. Not needed for a fold that keeps all messages. */
  eventsAfter?(seq: number): Iterable<JournalEvent>;
}

/** Whether a message has this id. */
export function isKnownMessage({ messages }: Pick<RunState, "messages">, id: string): boolean {
  return indexedAt(messages.ids, id) !== undefined;
}

/** Whether a message was posted under this key. */
export function isPostedUnder({ messages }: Pick<RunState, "messages">, key: string): boolean {
  return indexedAt(messages.keys, key) !== undefined;
}

/** The place of the message with this id in the journal. */
export function seqOfMessage(
  { messages }: Pick<RunState, "messages">,
  id: string,
): number | undefined {
  return indexedAt(messages.ids, id);
}

/** The message with this id. */
export function findMessage(source: MessageSource, id: string): Message | undefined {
  const seq = seqOfMessage(source.state, id);
  const message = seq === undefined ? undefined : messageAt(source, seq);
  return message?.id === id ? message : undefined;
}

/** The message that was posted under this key. */
export function messageUnder(source: MessageSource, key: string): Message | undefined {
  const seq = indexedAt(source.state.messages.keys, key);
  return seq === undefined ? undefined : messageAt(source, seq);
}

/** The message at this place in the journal. */
export function messageAt(source: MessageSource, seq: number): Message | undefined {
  return messagesAt(source, [seq]).next().value;
}

/** A message of the fold's newest by its id: for what has just been posted. */
export function findRecent({ messages }: RunState, id: string): Message | undefined {
  return messages.recent.findLast((message) => message.id === id);
}

/** The messages at these places, in ascending order. */
export function* messagesAt(
  source: MessageSource,
  places: Iterable<number>,
): Generator<Message, undefined> {
  const { recent, count } = source.state.messages;
  const firstKept = recent.length === count ? 0 : (recent[0]?.seq ?? Infinity);
  const older = new OlderMessages(source);
  for (const seq of places) {
    const message = seq < firstKept ? older.at(seq) : recent[placeAfter(recent, seq - 1, seqOf)];
    if (message?.seq === seq) yield message;
  }
  return undefined;
}

/** All messages, in the order of the journal. */
export function* allMessages(source: MessageSource): Generator<Message> {
  const { recent, count } = source.state.messages;
  if (recent.length < count) yield* new OlderMessages(source).until(recent[0]?.seq ?? Infinity);
  yield* recent;
}

/** A place that is further ahead than this is looked for anew, not walked to. */
const MOST_WALKED = 256;

/** Messages that the fold keeps no more, read from the journal in ascending order. */
class OlderMessages {
  readonly #source: MessageSource;
  #events: Iterator<JournalEvent> | undefined;
  #last = 0;

  constructor(source: MessageSource) {
    this.#source = source;
  }

  at(seq: number): Message | undefined {
    if (this.#events === undefined || seq - this.#last > MOST_WALKED)
      this.#events = this.#after(seq - 1);
    for (let next = this.#events.next(); next.done !== true; next = this.#events.next()) {
      this.#last = next.value.seq;
      if (this.#last < seq) continue;
      return next.value.type === "message-posted" ? toMessage(next.value) : undefined;
    }
    return undefined;
  }

  *until(end: number): Generator<Message> {
    const events = this.#after(0);
    for (let next = events.next(); next.done !== true; next = events.next()) {
      if (next.value.seq >= end) return;
      if (next.value.type === "message-posted") yield toMessage(next.value);
    }
  }

  #after(seq: number): Iterator<JournalEvent> {
    const events = this.#source.eventsAfter?.(seq);
    if (events === undefined) throw new Error("the journal of these messages is not at hand");
    return events[Symbol.iterator]();
  }
}

/** A message as its event tells of it. */
export function toMessage({
  type: _,
  key: _key,
  at,
  channel,
  ...rest
}: EventOf<"message-posted">): Message {
  const place = channel ?? (rest.to === undefined ? MAIN_CHANNEL : undefined);
  return { ...rest, timestamp: toIsoTime(at), ...(place === undefined ? {} : { channel: place }) };
}

/** How many of these ascending places are at most `seq`; found by halving. */
export function countUpTo(places: readonly number[], seq: number): number {
  return placeAfter(places, seq, (place) => place);
}

const seqOf = ({ seq }: Message): number => seq;

function placeAfter<Item>(
  items: readonly Item[],
  seq: number,
  toSeq: (item: Item) => number,
): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && toSeq(item) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
