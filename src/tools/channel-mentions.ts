import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { READS } from "./parts/annotations.ts";
import { toChannelEntry } from "./parts/channel-entry.ts";
import { messageLimit } from "./parts/fields.ts";

const DEFAULT_LIMIT = 50;

/** Lists what was addressed to the caller; what it returns counts as taken by the turn. */
export const channelMentions = defineTool({
  name: "channel_mentions",
  title: "List mentions of you",
  description:
    "List the messages that mention you or were sent to you directly, oldest first; what you have read is not put into your next prompt again. With `unread_only` only those that you have not dealt with yet. Use it before you end your turn, to see whether somebody wants something from you.",
  annotations: READS,
  needs: "channel",
  input: z.strictObject({
    unread_only: z.boolean().exactOptional().describe("Only what you have not acked yet"),
    limit: messageLimit.exactOptional(),
  }),
  call: async ({ unread_only: unreadOnly = false, limit = DEFAULT_LIMIT }, context) => {
    const { messages, hasMore } = context.readMentions({ unreadOnly, limit });
    context.take(messages);
    return { messages: messages.map(toChannelEntry), hasMore };
  },
});
