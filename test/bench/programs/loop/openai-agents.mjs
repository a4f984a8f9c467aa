// The loop of OpenAI's Agents SDK, by its chat client.
import { load } from "./load-peer.mjs";
import { printLoopFigure, tool, turns } from "./loop-bench.ts";

const {
  Agent,
  OpenAIChatCompletionsModel,
  Runner,
  setTracingDisabled,
  tool: declare,
} = await load("@openai/agents");
const { OpenAI } = await load("openai");
const { z } = await load("zod");
setTracingDisabled(true);
const look = declare({
  name: tool.name,
  description: tool.description,
  parameters: z.object({ index: z.number() }),
  execute: async (input) => tool.says(input),
});

await printLoopFigure((baseURL) => {
  const client = new OpenAI({ baseURL, apiKey: "a-key" });
  const model = new OpenAIChatCompletionsModel(client, "scripted");
  const agent = new Agent({ name: "worker", model, tools: [look] });
  const runner = new Runner({ tracingDisabled: true });
  return async () => (await runner.run(agent, "go", { maxTurns: turns + 1 })).finalOutput;
});
