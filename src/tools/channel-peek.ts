import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { toChannelPage } from "./parts/channel-entry.ts";

const MAX_LIMIT = 500;

/** Shows the newest messages of the main channel; takes nothing from the inbox. */
export const channelPeek = defineTool({
  name: "channel_peek",
  description:
    "Look at the newest messages of the main channel, oldest first, without marking anything as read.",
  isReadOnly: true,
  input: z.strictObject({
    limit: z.number().int().min(1).max(MAX_LIMIT).exactOptional().describe("Most messages"),
  }),
  call: async (query, context) => toChannelPage(context.readChannel(query)),
});
