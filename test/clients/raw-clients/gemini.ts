import { z } from "zod";
import { type Heard, parsed, type RawClient } from "./raw-client.ts";

const geminiPart = z.object({
  text: z.string().default(""),
  functionCall: z.object({ name: z.string(), args: z.unknown() }).optional(),
});
const geminiBody = z.object({
  candidates: z.array(z.object({ content: z.object({ parts: z.array(geminiPart) }) })),
});

/** Speaks Gemini. */
export const gemini: RawClient = {
  protocol: "gemini",
  path: ({ isStream }) =>
    `/v1beta/models/any:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  body: ({ instructions, prompt, tools, batches = [] }) => ({
    ...(instructions === undefined
      ? {}
      : { systemInstruction: { parts: [{ text: instructions }] } }),
    tools: tools.length === 0 ? [] : [{ functionDeclarations: tools.map((name) => ({ name })) }],
    contents: [
      { role: "user", parts: [{ text: prompt }] },
      ...batches.flatMap((results) => [
        { role: "model", parts: results.map(() => ({ functionCall: { name: "any", args: {} } })) },
        {
          role: "user",
          parts: results.map((output) => ({
            functionResponse: { name: "any", response: { output } },
          })),
        },
      ]),
    ],
  }),
  hear: (body) => hearBodies([geminiBody.parse(body)]),
  hearStream: (events) => hearBodies(parsed(geminiBody, events)),
};

function hearBodies(bodies: readonly z.infer<typeof geminiBody>[]): Heard {
  const parts = bodies.flatMap(({ candidates }) =>
    candidates.flatMap(({ content }) => content.parts),
  );
  return {
    text: parts.map(({ text }) => text).join(""),
    calls: parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall])),
  };
}
