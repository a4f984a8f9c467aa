import { z } from "zod";
import { args, parsed, type RawClient } from "./raw-client.ts";

const anthropicBlock = z.object({
  type: z.string(),
  text: z.string().default(""),
  name: z.string().default(""),
  input: z.unknown().optional(),
});

/** Speaks Anthropic Messages. */
export const anthropic: RawClient = {
  protocol: "anthropic-messages",
  path: () => "/v1/messages",
  body: ({ instructions, prompt, tools, batches = [], isStream }) => ({
    model: "any",
    max_tokens: 100,
    stream: isStream,
    ...(instructions === undefined ? {} : { system: [{ type: "text", text: instructions }] }),
    tools: tools.map((name) => ({ name, input_schema: { type: "object" } })),
    messages: [
      { role: "user", content: prompt },
      ...batches.flatMap((results) => [
        {
          role: "assistant",
          content: results.map((_, index) => ({ type: "tool_use", id: `${index}`, name: "any" })),
        },
        {
          role: "user",
          content: results.map((content, index) => ({
            type: "tool_result",
            tool_use_id: `${index}`,
            content: [{ type: "text", text: content }],
          })),
        },
      ]),
    ],
  }),
  hear: (body) => {
    const { content } = z.object({ content: z.array(anthropicBlock) }).parse(body);
    return {
      text: content.map(({ text }) => text).join(""),
      calls: content
        .filter(({ type }) => type === "tool_use")
        .map(({ name, input }) => ({ name, args: input })),
    };
  },
  hearStream: (events) => {
    const starts = z.object({
      type: z.literal("content_block_start"),
      content_block: anthropicBlock,
    });
    const delta = z.object({ text: z.string().default(""), partial_json: z.string().default("") });
    const deltas = z.object({ type: z.literal("content_block_delta"), index: z.number(), delta });
    const pieces = parsed(deltas, events);
    return {
      text: pieces.map((piece) => piece.delta.text).join(""),
      calls: parsed(starts, events).flatMap(({ content_block: { type, name } }, block) => {
        const own = pieces.filter(({ index }) => index === block);
        const json = own.map((piece) => piece.delta.partial_json).join("");
        return type === "tool_use" ? [{ name, args: args.parse(json) }] : [];
      }),
    };
  },
};
