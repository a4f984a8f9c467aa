import { z } from "zod";
import { args, type Heard, parsed, type RawClient } from "./raw-client.ts";

const responsesItem = z.object({
  type: z.string(),
  name: z.string().default(""),
  namespace: z.string().optional(),
  arguments: args.optional(),
  content: z.array(z.object({ text: z.string() })).default([]),
});

/** Speaks OpenAI Responses. */
export const responses: RawClient = {
  protocol: "openai-responses",
  path: () => "/v1/responses",
  body: ({ instructions, prompt, tools, batches = [], isStream }) => ({
    model: "any",
    stream: isStream,
    ...(instructions === undefined ? {} : { instructions }),
    tools: tools.map((name) => ({ type: "function", name })),
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: prompt }] },
      ...batches.flatMap((results) => [
        ...results.map((_, index) => ({ type: "function_call", call_id: `${index}`, name: "any" })),
        ...results.map((output, index) => ({
          type: "function_call_output",
          call_id: `${index}`,
          output,
        })),
      ]),
    ],
  }),
  hear: (body) => hearItems(z.object({ output: z.array(responsesItem) }).parse(body).output),
  hearStream: (events) => {
    const done = z.object({ type: z.literal("response.output_item.done"), item: responsesItem });
    const delta = z.object({ type: z.literal("response.output_text.delta"), delta: z.string() });
    const { calls } = hearItems(parsed(done, events).map(({ item }) => item));
    return {
      text: parsed(delta, events)
        .map((event) => event.delta)
        .join(""),
      calls,
    };
  },
};

function hearItems(items: readonly z.infer<typeof responsesItem>[]): Heard {
  return {
    text: items.flatMap(({ content }) => content.map(({ text }) => text)).join(""),
    calls: items
      .filter(({ type }) => type === "function_call")
      .map((item) => ({ name: item.name, args: item.arguments })),
  };
}
