import type { Message, ReceivedMessage } from "../contracts/message.ts";
import { agentKey, findMailbox } from "./state/agent-lookup.ts";
import type { RunState } from "./state/run-state.ts";

/** A message that waits in an inbox, with the number of turns that took it and did not end well. */
export interface PendingMessage {
  readonly message: ReceivedMessage;
  readonly attempts: number;
}

/** What waits in the agent's inbox, in the order of the journal, at most `limit`. */
export function pendingMessages(
  state: RunState,
  agent: string,
  limit: number = Infinity,
): readonly PendingMessage[] {
  const mailbox = findMailbox(state, agent);
  const found: PendingMessage[] = [];
  if (mailbox === undefined || mailbox.pending === 0) return found;
  for (const item of mailbox.items.values()) {
    if (found.length >= limit) break;
    const message = state.messages.byId.get(item.id);
    if (item.turn !== undefined || message === undefined) continue;
    const received = item.copy === undefined ? message : { ...message, copy: item.copy };
    found.push({ message: received, attempts: item.attempts });
  }
  return found;
}

/** Whether anything waits in the agent's inbox that is worth a turn. */
export function hasWakingMessages(state: RunState, agent: string): boolean {
  return (findMailbox(state, agent)?.waking ?? 0) > 0;
}

/** The part of a list in seq order that comes after `seq`, at most `limit`; found by halving. */
export function messagesAfter(
  messages: readonly Message[],
  seq: number,
  limit: number = Infinity,
): readonly Message[] {
  const first = indexAfter(messages, seq);
  return messages.slice(first, Math.min(messages.length, first + limit));
}

function indexAfter(messages: readonly Message[], seq: number): number {
  let low = 0;
  let high = messages.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((messages[middle]?.seq ?? Infinity) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
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
export function unseenBy(state: RunState, reader: string, query: UnseenQuery): readonly Message[] {
  const { byChannel, byAddressee } = state.messages;
  const { after, channel, limit } = query;
  const lists = [
    channel === undefined ? undefined : byChannel.get(channel),
    byAddressee.get(agentKey(reader)),
  ];
  return lists
    .flatMap((list = []) => ofOthers(list, reader, { after, limit }))
    .sort((left, right) => left.seq - right.seq)
    .slice(0, limit);
}

function ofOthers(
  messages: readonly Message[],
  reader: string,
  { after, limit }: Omit<UnseenQuery, "channel">,
): readonly Message[] {
  const found: Message[] = [];
  for (let index = indexAfter(messages, after); index < messages.length; index += 1) {
    const message = messages[index];
    if (message === undefined || found.length >= limit) break;
    if (message.from !== reader) found.push(message);
  }
  return found;
}
