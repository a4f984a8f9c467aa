import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { READS } from "./parts/annotations.ts";
import { toChannelPage } from "./parts/channel-entry.ts";
import { messageLimit } from "./parts/fields.ts";

/** Shows the newest messages of the main channel; takes nothing from the inbox. */
export const channelPeek = defineTool({
  name: "channel_peek",
  title: "Peek at the channel",
  description:
    "Look at the newest messages of the main channel, oldest first, without marking anything as read. To read what is meant for you, use channel_read.",
  annotations: READS,
  needs: "channel",
  input: z.strictObject({ limit: messageLimit.exactOptional() }),
  call: async (query, context) => toChannelPage(context.readChannel(query)),
});
