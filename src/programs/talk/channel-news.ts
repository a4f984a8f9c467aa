import type { AgentSpec } from "../../contracts/agent.ts";
import type { Message } from "../../contracts/message.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { Subscription } from "../../contracts/selector.ts";
import type { DataBlock } from "../patterns/conventions/marked-text.ts";

/** Most text of others that one turn is given; older messages are counted and left to channel_read. */
const MAX_NEWS_CHARS = 65_536;

/** A message of the main channel. */
interface Heard extends Pick<Message, "from" | "text" | "mentions"> {
  readonly channel: string;
  /** Whether it is the text of a turn, and not what its author posted. */
  readonly isText: boolean;
}

/** What an agent is told of the channel: all, only what others posted beside the texts of their turns, or some messages. */
export type HeardNews = "all" | "posts" | ((message: Pick<Message, "from" | "text">) => boolean);

/** What was said in the channels that agents are told of, and how far each agent has been told of it (PAT-delta). */
export class ChannelNews {
  readonly #heard: Heard[] = [];
  readonly #told = new Map<string, number>();
  readonly #subscription: Subscription;
  readonly #main: string;
  readonly #channels: ReadonlyMap<string, readonly string[]>;

  /** Listens from here on. */
  constructor(context: Context, main: string, members: readonly AgentSpec[]) {
    this.#main = main;
    this.#channels = new Map(
      members.flatMap(({ id, channels }) => (channels ? [[id, channels]] : [])),
    );
    // Whoever has no channels of its own is told of the main one.
    const place = this.#channels.size === 0 ? { channel: main } : {};
    this.#subscription = context.subscribe({ kinds: ["message"], ...place });
  }

  /** Takes in what was said until now; how many of it by others than Troupe. */
  async listen(context: Context): Promise<number> {
    let fresh = 0;
    for (;;) {
      const event = await context.next(this.#subscription, { timeoutMs: 0 });
      if (event === undefined) return fresh;
      if (event.type !== "message-posted") continue;
      const { from, text, mentions, channel, key = "" } = event;
      if (channel === undefined) continue;
      this.#heard.push({ from, text, mentions, channel, isText: isAnnouncement(key) });
      if (event.from !== "system") fresh += 1;
    }
  }

  /** Those among some agents that are told nothing of the main channel. */
  deafTo(members: readonly AgentSpec[]): readonly string[] {
    return members.flatMap(({ id }) =>
      this.#channels.get(id)?.includes(this.#main) === false ? [id] : [],
    );
  }

  /** What an agent has not been told yet, as data; what names it stands in its inbox. */
  tell(agent: string, hears: HeardNews = "all"): readonly DataBlock[] {
    const channels = this.#channels.get(agent) ?? [this.#main];
    const news = this.#heard
      .slice(this.#told.get(agent) ?? 0)
      .filter((heard) => isHeard(heard, hears))
      .filter(({ channel }) => channels.includes(channel))
      .filter(({ from, mentions }) => from !== agent && !mentions.includes(agent));
    this.#told.set(agent, this.#heard.length);
    return toBlocks(news);
  }
}

function isHeard(heard: Heard, hears: HeardNews): boolean {
  if (typeof hears === "function") return hears(heard);
  return hears === "all" || !heard.isText;
}

function toBlocks(news: readonly Heard[]): readonly DataBlock[] {
  let left = MAX_NEWS_CHARS;
  let first = news.length;
  while (first > 0) {
    const size = news[first - 1]?.text.length ?? 0;
    if (size > left) break;
    left -= size;
    first -= 1;
  }
  const blocks = news.slice(first).map(({ from, text }) => ({ label: `message of ${from}`, text }));
  if (first === 0) return blocks;
  const text = `${first} earlier messages are left out here; channel_read shows them`;
  return [{ label: "note of Troupe", text }, ...blocks];
}

/** Whether the key of a message says that Troupe posted the text of its author's turn. */
function isAnnouncement(key: string): boolean {
  return key.endsWith("/announce");
}
