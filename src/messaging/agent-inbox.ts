import type { Message } from "../contracts/message.ts";
import type { InboxAck, InboxChoice, MentionPage, MentionQuery } from "../contracts/tool.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { agentKey, findAgent, findMailbox } from "../fold/state/agent-lookup.ts";
import {
  findMessage,
  type MessageSource,
  messagesAt,
  seqOfMessage,
} from "../fold/state/message-source.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { messageUnknown } from "./errors.ts";

/** Whose inbox it is, and in which turn it is looked at. */
export interface InboxReader {
  readonly agent: string;
  readonly turn: number;
}

const SEQ_PATTERN = /^\d{1,15}$/;

/** The messages that name an agent or were sent to it directly, oldest first. */
export function readMentions(
  source: MessageSource,
  agent: string,
  query: MentionQuery,
): MentionPage {
  const { state } = source;
  const { unreadOnly, limit } = query;
  if (!unreadOnly) {
    const newest = lastAddressed(source, agent, limit + 1);
    return { messages: newest.slice(-limit), hasMore: newest.length > limit };
  }
  const items = findMailbox(state, agent)
    ?.items.values()
    .filter(({ copy }) => copy === undefined);
  const places = items?.map(({ seq }) => seq).take(limit + 1) ?? [];
  const unread = [...messagesAt(source, places)];
  return { messages: unread.slice(0, limit), hasMore: unread.length > limit };
}

/** What a turn is shown counts as delivered to it, as if it stood in its prompt (MSG-3). */
export function takeMessages(
  runtime: RunRuntime,
  { agent, turn }: InboxReader,
  messages: readonly Message[],
): void {
  const items = findMailbox(runtime.state, agent)?.items;
  const ids = messages
    .map((message) => message.id)
    .filter((id) => items?.has(id) === true && items.get(id)?.turn === undefined);
  if (ids.length > 0) runtime.append({ type: "message-delivered", agent, turn, ids });
}

/**
 * Acks items of an inbox that wait or stand before this turn, at once and for good: they are not delivered
 * again, however the turn ends. Raises MESSAGE_UNKNOWN.
 */
export function ackInbox(runtime: RunRuntime, reader: InboxReader, choice: InboxChoice): InboxAck {
  const { state } = runtime;
  const chosen = "ids" in choice ? [...new Set(choice.ids)] : idsUpTo(state, reader, choice.upTo);
  const found = Map.groupBy(chosen, (id) => placeOf(runtime, reader, id));
  const of = (place: keyof InboxAck) => found.get(place) ?? [];
  const acked = of("acked");
  if (acked.length > 0) runtime.append({ type: "message-acked", agent: reader.agent, ids: acked });
  return { acked, settled: of("settled"), elsewhere: of("elsewhere"), unknown: of("unknown") };
}

function placeOf(source: MessageSource, { agent, turn }: InboxReader, id: string): keyof InboxAck {
  const { state } = source;
  const item = findMailbox(state, agent)?.items.get(id);
  if (item !== undefined)
    return item.turn === undefined || item.turn === turn ? "acked" : "elsewhere";
  const message = findMessage(source, id);
  const isKnown = message !== undefined && wasReceived(state, agent, message);
  return isKnown ? "settled" : "unknown";
}

/** What is left of the inbox up to a place in the journal; nothing that other turns have taken. */
function idsUpTo(
  state: RunState,
  { agent, turn }: InboxReader,
  upTo: string | number,
): readonly string[] {
  const last = seqOf(state, upTo);
  const items = [...(findMailbox(state, agent)?.items.values() ?? [])];
  return items
    .filter((item) => item.seq <= last && (item.turn === undefined || item.turn === turn))
    .map(({ id }) => id);
}

function seqOf(state: RunState, place: string | number): number {
  if (typeof place === "number") return place;
  const seq = seqOfMessage(state, place);
  if (seq !== undefined) return seq;
  if (SEQ_PATTERN.test(place)) return Number(place);
  throw messageUnknown({ message: place });
}

function lastAddressed(source: MessageSource, agent: string, limit: number): readonly Message[] {
  const places = source.state.messages.byReader.get(agentKey(agent)) ?? [];
  return [...messagesAt(source, places.slice(-limit))];
}

/** Whether a message was in an inbox once, of itself or as a copy. */
function wasReceived(state: RunState, agent: string, message: Message): boolean {
  if (isAddressed(message, agentKey(agent))) return true;
  const { of, receiveIncoming, receiveOutgoing } = findAgent(state, agent)?.spec.shadow ?? {};
  if (of === undefined) return false;
  const watched = agentKey(of);
  if (agentKey(message.from) === watched) return receiveOutgoing === true;
  return receiveIncoming === true && isAddressed(message, watched);
}

/** Whether a message went to somebody's inbox: by its addressees if it has any, else by whom it names. */
function isAddressed({ to, mentions }: Message, key: string): boolean {
  return (to ?? mentions).some((name) => agentKey(name) === key);
}
