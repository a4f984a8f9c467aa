import type { Message, MessageBody } from "../../contracts/message.ts";
import type { ToolContext } from "../../contracts/tool.ts";
import type { Json } from "../../foundation/json.ts";

/** A part of a channel as the tools hand it out. */
export function toChannelPage(page: ReturnType<ToolContext["readChannel"]>): {
  readonly [name: string]: Json;
} {
  return { messages: page.messages.map(toChannelEntry), next: page.next, hasMore: page.hasMore };
}

/** A message as the tools hand it out. */
export function toChannelEntry(message: Message): Json {
  return {
    timestamp: message.timestamp,
    from: message.from,
    message: message.text,
    mentions: message.mentions,
    id: message.id,
    seq: message.seq,
    ...(message.threadId === undefined ? {} : { thread_id: message.threadId }),
    ...(message.body === undefined ? {} : restOf(message, message.body)),
  };
}

/** How to get the whole text of a message that shows only its beginning. */
function restOf(
  { text }: Message,
  { ref, sizeBytes }: MessageBody,
): { readonly [name: string]: Json } {
  const note = `the beginning of ${sizeBytes} bytes; call resource_read for the rest`;
  return { note, resource: { ref, offset: text.length, size_bytes: sizeBytes } };
}
