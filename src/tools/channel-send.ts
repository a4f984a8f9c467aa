import { z } from "zod";
import type { PostReceipt } from "../contracts/message.ts";
import { defineTool, type ToolContext } from "../contracts/tool.ts";
import type { Json } from "../foundation/json.ts";

const id = z.string().min(1);

/** Posts to a channel or to agents directly, as the agent that calls it. */
export const channelSend = defineTool({
  name: "channel_send",
  description:
    "Send a message to the shared channel, or with `to` to agents directly. @name in the text wakes that agent, @all everyone else, @user asks a person.",
  isReadOnly: false,
  input: z
    .strictObject({
      message: z.string().describe("The text; @name mentions an agent"),
      to: z
        .union([id, z.array(id).min(1)], { error: "expected the id of an agent or a list of ids" })
        .exactOptional()
        .describe("Ids of the agents that alone get it"),
      channel: id.exactOptional().describe("Another channel than the main one"),
      thread_id: id.exactOptional().describe("The thread that this message belongs to"),
    })
    .refine((input) => input.to === undefined || input.channel === undefined, {
      path: ["to"],
      error: "give either to or channel",
    }),
  call: async (input, context) => {
    const receipt = await context.post({
      text: input.message,
      ...(input.to === undefined ? {} : { to: [input.to].flat() }),
      ...(input.channel === undefined ? {} : { channel: input.channel }),
      ...(input.thread_id === undefined ? {} : { threadId: input.thread_id }),
    });
    return toAnswer(receipt, context);
  },
});

function toAnswer(receipt: PostReceipt, context: ToolContext): Json {
  const { id, seq, recipients, unknownMentions, question } = receipt;
  const asked =
    question === undefined ? {} : { question, note: "a person is asked; the answer is a message" };
  const answer = { id, seq, recipients, ...asked };
  if (unknownMentions.length === 0) return answer;
  const unknown = unknownMentions.map((name) => `@${name}`).join(", ");
  const known = context.agents().map((agent) => agent.id);
  return { ...answer, warning: `nobody is called ${unknown}; known: ${known.join(", ")}` };
}
