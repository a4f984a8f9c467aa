import { z } from "zod";
import type { OptimisticDraft, PostResult } from "../contracts/message.ts";
import { defineTool, type ToolContext } from "../contracts/tool.ts";
import type { Json } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { ADDS } from "./parts/annotations.ts";
import { toChannelPage } from "./parts/channel-entry.ts";

const id = z.string().min(1);

const input = z
  .strictObject({
    message: z.string().describe("The text; @name mentions an agent"),
    to: z
      .union([id, z.array(id).min(1)], { error: "expected the id of an agent or a list of ids" })
      .exactOptional()
      .describe("Ids of the agents that alone get it"),
    channel: id.exactOptional().describe("Another channel than the main one"),
    thread_id: id.exactOptional().describe("The thread that this message belongs to"),
    interrupt: z
      .boolean()
      .exactOptional()
      .describe("Cut off what the addressees are doing, instead of waiting for the end of it"),
    last_seen: z
      .number()
      .int()
      .min(0)
      .exactOptional()
      .describe("Seq of the last message you know: if others wrote since, you get that instead"),
    force: z.boolean().exactOptional().describe("Send whatever others have written since"),
  })
  .refine((given) => given.to === undefined || given.channel === undefined, {
    path: ["to"],
    error: "give either to or channel",
  });

/** Posts to a channel or to agents directly, as the agent that calls it. */
export const channelSend = defineTool({
  name: "channel_send",
  title: "Send a message",
  description:
    "Send a message to the shared channel, or with `to` to agents directly. @name in the text wakes that agent, @all everyone else, @user asks a person. Pass `last_seen` when what you say would be wrong if somebody has just said something else.",
  annotations: ADDS,
  needs: "channel",
  input,
  call: async (given, context) => {
    const result = await context.post(toDraft(given));
    return result.status === "behind" ? toUnseen(result, context) : toReceipt(result, context);
  },
});

function toDraft(given: z.output<typeof input>): OptimisticDraft {
  return {
    text: given.message,
    ...(given.to === undefined ? {} : { to: [given.to].flat() }),
    ...present({
      channel: given.channel,
      threadId: given.thread_id,
      interrupt: given.interrupt,
      lastSeen: given.last_seen,
      force: given.force,
    }),
  };
}

function toReceipt(
  posted: Extract<PostResult, { readonly status: "posted" }>,
  context: ToolContext,
): Json {
  const { id: message, seq, recipients, unknownMentions, refusedMentions = [], question } = posted;
  const asked =
    question === undefined ? {} : { question, note: "a person is asked; the answer is a message" };
  const refused =
    refusedMentions.length === 0
      ? {}
      : { refused: `you may not write to ${refusedMentions.join(", ")} here: they were not told` };
  const answer = { sent: true, id: message, seq, recipients, ...refused, ...asked };
  if (unknownMentions.length === 0) return answer;
  const unknown = unknownMentions.map((name) => `@${name}`).join(", ");
  const known = context.agents().map((agent) => agent.id);
  return { ...answer, warning: `nobody is called ${unknown}; known: ${known.join(", ")}` };
}

/** What the sender has not read yet; nothing was posted. */
function toUnseen(
  behind: Extract<PostResult, { readonly status: "behind" }>,
  context: ToolContext,
): Json {
  context.take(behind.messages);
  const note =
    "not sent: others have written since; read this, then send again with last_seen set to next, or with force";
  return { sent: false, note, ...toChannelPage(behind) };
}
