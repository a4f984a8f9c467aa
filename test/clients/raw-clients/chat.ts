import { z } from "zod";
import { args, type Heard, parsed, type RawClient } from "./raw-client.ts";

const chatCall = z.object({ function: z.object({ name: z.string(), arguments: args }) });
const chatMessage = z.object({
  content: z.string().nullish(),
  tool_calls: z.array(chatCall).default([]),
});

/** Speaks Chat Completions. */
export const chat: RawClient = {
  protocol: "openai-chat",
  path: () => "/v1/chat/completions",
  body: ({ instructions, prompt, tools, batches = [], isStream }) => ({
    model: "any",
    stream: isStream,
    tools: tools.map((name) => ({ type: "function", function: { name } })),
    messages: [
      ...(instructions === undefined ? [] : [{ role: "system", content: instructions }]),
      { role: "user", content: prompt },
      ...batches.flatMap((results) => [
        {
          role: "assistant",
          content: null,
          tool_calls: results.map((_, index) => ({ id: `${index}`, function: { name: "any" } })),
        },
        ...results.map((content, index) => ({ role: "tool", tool_call_id: `${index}`, content })),
      ]),
    ],
  }),
  hear: (body) => {
    const choices = z.array(z.object({ message: chatMessage }));
    const parsedBody = z.object({ choices }).parse(body);
    return hearMessages(parsedBody.choices.map(({ message }) => message));
  },
  hearStream: (events) => {
    const chunk = z.object({ choices: z.array(z.object({ delta: chatMessage })) });
    const choices = parsed(chunk, events).flatMap((event) => event.choices);
    return hearMessages(choices.map(({ delta }) => delta));
  },
};

function hearMessages(messages: readonly z.infer<typeof chatMessage>[]): Heard {
  return {
    text: messages.map(({ content }) => content ?? "").join(""),
    calls: messages
      .flatMap((message) => message.tool_calls)
      .map((call) => ({ name: call.function.name, args: call.function.arguments })),
  };
}
