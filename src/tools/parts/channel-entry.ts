import type { Message } from "../../contracts/message.ts";
import type { ToolContext } from "../../contracts/tool.ts";
import type { Json } from "../../foundation/json.ts";

/** A part of a channel as the tools hand it out. */
export function toChannelPage(page: ReturnType<ToolContext["readChannel"]>): Json {
  return { messages: page.messages.map(toEntry), next: page.next, hasMore: page.hasMore };
}

function toEntry(message: Message): Json {
  return {
    timestamp: message.timestamp,
    from: message.from,
    message: message.text,
    mentions: message.mentions,
    id: message.id,
    seq: message.seq,
    ...(message.threadId === undefined ? {} : { thread_id: message.threadId }),
  };
}
