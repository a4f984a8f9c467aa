// AgentExecutor with a tool: a run for each prompt, in memory or durable.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { z } from "zod";
import { AgentExecutor, defineTool } from "../../../../src/index.ts";
import { withFolder } from "../../figure.ts";
import { sdkPlace } from "../../sdk-place.ts";
import { isDurable, printLoopFigure, tool, turns } from "./loop-bench.ts";

const store = isDurable ? "files" : "memory";
const look = defineTool({
  name: tool.name,
  description: tool.description,
  input: z.object({ index: z.number() }),
  isReadOnly: true,
  run: tool.says,
});

await withFolder((folder) =>
  printLoopFigure((baseURL: string) => {
    const model = createOpenAICompatible({ name: "scripted", baseURL, apiKey: "a-key" })(
      "scripted",
    );
    const options = {
      model,
      tools: [look],
      maxTurns: turns + 1,
      store,
      ...sdkPlace(`${folder}/project`),
    } as const;
    return async () => (await new AgentExecutor(options).run("go")).finalText;
  }),
);
