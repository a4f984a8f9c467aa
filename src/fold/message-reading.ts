import type { Message, ReceivedMessage } from "../contracts/message.ts";
import { agentKey, findMailbox } from "./state/agent-lookup.ts";
import { countUpTo, type MessageSource, messagesAt } from "./state/message-source.ts";
import type { RunState } from "./state/run-state.ts";

/** A message that waits in an inbox, with the number of turns that took it and did not end well. */
export interface PendingMessage {
  readonly message: ReceivedMessage;
  readonly attempts: number;
}

/** What waits in the agent's inbox, in the order of the journal, at most `limit`. */
export function pendingMessages(
  source: MessageSource,
  agent: string,
  limit: number = Infinity,
): readonly PendingMessage[] {
  const mailbox = findMailbox(source.state, agent);
  if (mailbox === undefined || mailbox.pending === 0) return [];
  const items = mailbox.items.values().filter(({ turn }) => turn === undefined);
  const waiting = limit === Infinity ? [...items] : [...items.take(limit)];
  const found = messagesAt(
    source,
    waiting.map(({ seq }) => seq),
  );
  return [...found].flatMap((message) => {
    const item = mailbox.items.get(message.id);
    if (item === undefined) return [];
    const received = item.copy === undefined ? message : { ...message, copy: item.copy };
    return [{ message: received, attempts: item.attempts }];
  });
}

/** Whether anything waits in the agent's inbox. */
export function hasPendingMessages(state: RunState, agent: string): boolean {
  return (findMailbox(state, agent)?.pending ?? 0) > 0;
}

/** Whether anything waits in the agent's inbox that is worth a turn. */
export function hasWakingMessages(state: RunState, agent: string): boolean {
  return (findMailbox(state, agent)?.waking ?? 0) > 0;
}

/** Where somebody looks for what others have written. */
export interface UnseenQuery {
  /** Seq of the last message that is known. */
  readonly after: number;
  /** Looked at beside the direct messages. */
  readonly channel: string | undefined;
  readonly limit: number;
}

/** What others have written to a channel or directly to `reader`, in the order of the journal, at most `limit`. */
export function unseenBy(
  source: MessageSource,
  reader: string,
  query: UnseenQuery,
): readonly Message[] {
  const { byChannel, byReader } = source.state.messages;
  const { after, channel, limit } = query;
  const posted = channel === undefined ? [] : (byChannel.get(channel) ?? []);
  const received = byReader.get(agentKey(reader)) ?? [];
  const isUnseen = ({ from }: Message) => from !== reader;
  const direct = walk(source, received, after).filter((message) => message.to !== undefined);
  return [walk(source, posted, after), direct]
    .flatMap((messages) => [...messages.filter(isUnseen).take(limit)])
    .sort((left, right) => left.seq - right.seq)
    .slice(0, limit);
}

/** The messages at the places of a list after `seq`, read as they are asked for. */
export function walk(
  source: MessageSource,
  places: readonly number[],
  seq: number,
): Generator<Message, undefined> {
  return messagesAt(source, from(places, countUpTo(places, seq)));
}

/** The messages at the places of a list, the last one first. */
export function* newestFirst(source: MessageSource, places: readonly number[]): Generator<Message> {
  for (let end = places.length; end > 0; end -= PAGE)
    yield* [...messagesAt(source, places.slice(Math.max(0, end - PAGE), end))].reverse();
}

const PAGE = 64;

function* from(places: readonly number[], first: number): Generator<number> {
  for (let index = first; index < places.length; index += 1) yield places[index] ?? 0;
}
