import type { Message } from "../contracts/message.ts";
import { newestFirst, walk } from "../fold/message-reading.ts";
import { findAgent } from "../fold/state/agent-lookup.ts";
import { type MessageSource, messagesAt, seqOfMessage } from "../fold/state/message-source.ts";
import type { RunState } from "../fold/state/run-state.ts";
import { messageChannelRefused, messageUnknownPosition } from "./errors.ts";

/** What a reader wants of a channel. */
export interface ChannelQuery {
  readonly channel: string;
  /** The id or seq of a message, or an ISO time; what comes after it. Absent: the newest. */
  readonly since?: string | number;
  /** Defaults to 50. */
  readonly limit?: number;
}

/** A stretch of a channel, oldest first. */
export interface ChannelStretch {
  readonly messages: readonly Message[];
  /** What to pass as `since` to go on. */
  readonly next: number;
  readonly hasMore: boolean;
}

const DEFAULT_LIMIT = 50;

/**
 * Reads a channel by position, so that nothing is lost to equal times (MSG-5). Raises
 * MESSAGE_UNKNOWN_POSITION.
 */
export function readChannel(source: MessageSource, query: ChannelQuery): ChannelStretch {
  const { limit = DEFAULT_LIMIT, since } = query;
  const places = source.state.messages.byChannel.get(query.channel) ?? [];
  if (since === undefined) {
    const messages = limit === 0 ? [] : [...messagesAt(source, places.slice(-limit))];
    return { messages, next: places.at(-1) ?? 0, hasMore: false };
  }
  const after = toSeq(source, query, since);
  const found = [...walk(source, places, after).take(limit + 1)];
  const messages = found.slice(0, limit);
  return { messages, next: messages.at(-1)?.seq ?? after, hasMore: found.length > limit };
}

/** The channels that somebody is told of, the one for what it posts to nobody first. */
export function channelsOf(
  state: RunState,
  reader: string,
  mainChannel: string,
): readonly string[] {
  return findAgent(state, reader)?.spec.channels ?? [mainChannel];
}

/** Reads a channel as an agent: its first one unless it names another. Raises MESSAGE_CHANNEL_REFUSED for one that it is not told of. */
export function readOwnChannel(
  source: MessageSource,
  { agent, mainChannel }: { readonly agent: string; readonly mainChannel: string },
  query: Omit<ChannelQuery, "channel"> & { readonly channel?: string },
): ChannelStretch {
  const own = findAgent(source.state, agent)?.spec.channels;
  const channel = query.channel?.replace(/^#/, "") ?? own?.[0] ?? mainChannel;
  if (own !== undefined && !own.includes(channel))
    throw messageChannelRefused({ agent, channel, own });
  return readChannel(source, { ...query, channel });
}

function toSeq(source: MessageSource, query: ChannelQuery, since: string | number): number {
  if (typeof since === "number") return since;
  const { messages } = source.state;
  const seq = seqOfMessage(source.state, since);
  if (seq !== undefined) return seq;
  if (/^\d{1,15}$/.test(since)) return Number(since);
  const time = Date.parse(since);
  if (Number.isNaN(time)) throw messageUnknownPosition({ since, channel: query.channel });
  // Messages of the same millisecond may come after the one that the reader saw: the time includes them.
  const before = newestFirst(source, messages.byChannel.get(query.channel) ?? []).find(
    (candidate) => Date.parse(candidate.timestamp) < time,
  );
  return before?.seq ?? 0;
}
