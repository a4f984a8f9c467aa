import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { READS } from "./parts/annotations.ts";
import { toChannelPage } from "./parts/channel-entry.ts";
import { messageLimit } from "./parts/fields.ts";

const SEQ_PATTERN = /^\d{1,15}$/;

/** Reads a channel; what it returns counts as taken by the turn. */
export const channelRead = defineTool({
  name: "channel_read",
  title: "Read the channel",
  description:
    "Read messages of a channel, oldest first; what you have read is not put into your next prompt again. `limit` alone gives the newest, after `since` the next ones. Pass `next` of the answer as `since` to go on while `hasMore`.",
  annotations: READS,
  needs: "channel",
  input: z.strictObject({
    since: z
      .union([z.string().min(1), z.number().int().min(0)], {
        error: "expected an id, a seq or an ISO time",
      })
      .exactOptional()
      .describe("Id or seq of the last message you know, or an ISO time"),
    limit: messageLimit.exactOptional(),
    channel: z.string().min(1).exactOptional().describe("Another channel than the main one"),
  }),
  call: async ({ since, ...query }, context) => {
    const isSeq = typeof since === "string" && SEQ_PATTERN.test(since);
    const position = isSeq ? Number(since) : since;
    const page = context.readChannel({
      ...query,
      ...(position === undefined ? {} : { since: position }),
    });
    context.take(page.messages);
    return toChannelPage(page);
  },
});
