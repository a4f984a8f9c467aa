// The loop of AI SDK: generateText with a tool, or streamText, which sees answers as they come, as Troupe does.
import { load } from "./load-peer.mjs";
import { printLoopFigure, tool, turns } from "./loop-bench.ts";

const { generateText, jsonSchema, stepCountIs, streamText, tool: declare } = await load("ai");
const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");
const inputSchema = jsonSchema({ type: "object", properties: { index: { type: "number" } } });
const look = declare({
  description: tool.description,
  inputSchema,
  execute: async (input) => tool.says(input),
});

await printLoopFigure((baseURL) => {
  const model = createOpenAICompatible({ name: "scripted", baseURL, apiKey: "a-key" })("scripted");
  const options = { model, prompt: "go", tools: { look }, stopWhen: stepCountIs(turns + 1) };
  if (process.argv[4] === "streamed") return async () => streamText(options).text;
  return async () => (await generateText(options)).text;
});
