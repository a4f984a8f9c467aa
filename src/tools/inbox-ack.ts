import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { SETS } from "./parts/annotations.ts";
import { messagePlace } from "./parts/fields.ts";

const MAX_IDS = 500;

/** Acks items of the caller's inbox at once. */
export const inboxAck = defineTool({
  name: "inbox_ack",
  title: "Acknowledge messages",
  description:
    "Mark messages to you as dealt with, at once: they are not delivered again, even if your turn fails. What you have read is marked by itself when your turn ends well, so use this only to keep something from coming again. Give `ids`, or `up_to` for all up to one.",
  annotations: SETS,
  input: z
    .strictObject({
      ids: z
        .array(z.string().min(1))
        .min(1)
        .max(MAX_IDS)
        .exactOptional()
        .describe("Ids of messages"),
      up_to: messagePlace.exactOptional().describe("Id or seq of the last message"),
    })
    .refine(({ ids, up_to }) => (ids === undefined) !== (up_to === undefined), {
      path: ["ids"],
      error: "give either ids or up_to",
    }),
  call: async ({ ids = [], up_to: upTo }, context) => {
    const { acked, settled, elsewhere, unknown } = context.ackInbox(
      upTo === undefined ? { ids } : { upTo },
    );
    return {
      acked,
      ...(settled.length === 0 ? {} : { acked_before: settled }),
      ...(elsewhere.length === 0
        ? {}
        : { elsewhere, note: "elsewhere: another of your turns has read these and acks them" }),
      ...(unknown.length === 0
        ? {}
        : { unknown, warning: `no message to you is called ${unknown.join(", ")}` }),
    };
  },
});
