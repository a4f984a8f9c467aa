// The loop of an agent of Mastra, without memory.
import { load } from "./load-peer.mjs";
import { printLoopFigure, tool, turns } from "./loop-bench.ts";

const { Agent } = await load("@mastra/core/agent");
const { createTool } = await load("@mastra/core/tools");
const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");
const { z } = await load("zod");
const look = createTool({
  id: tool.name,
  description: tool.description,
  inputSchema: z.object({ index: z.number() }),
  execute: async (input) => tool.says(input),
});

await printLoopFigure((baseURL) => {
  const model = createOpenAICompatible({ name: "scripted", baseURL, apiKey: "a-key" })("scripted");
  const agent = new Agent({
    id: "worker",
    name: "worker",
    instructions: "Work.",
    model,
    tools: { look },
  });
  return async () => (await agent.generate("go", { maxSteps: turns + 1 })).text;
});
