// The loop of LangGraph's ready-made agent; durable with SQLite as its checkpointer.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { load } from "./load-peer.mjs";
import { isDurable, printLoopFigure, tool, turns } from "./loop-bench.ts";

const { createReactAgent } = await load("@langchain/langgraph/prebuilt");
const { ChatOpenAI } = await load("@langchain/openai");
const { tool: declare } = await load("@langchain/core/tools");
const { z } = await load("zod");

const look = declare(async (input) => tool.says(input), {
  name: tool.name,
  description: tool.description,
  schema: z.object({ index: z.number() }),
});

await printLoopFigure(async (baseURL) => {
  const configuration = { baseURL };
  const llm = new ChatOpenAI({ model: "scripted", apiKey: "a-key", configuration });
  const checkpointer = isDurable ? await openSaver() : undefined;
  const agent = createReactAgent({ llm, tools: [look], checkpointer });
  return async (index, round) => {
    const config = {
      recursionLimit: turns * 2 + 10,
      configurable: { thread_id: `${round}-${index}` },
      ...(isDurable ? { durability: "sync" } : {}),
    };
    const { messages } = await agent.invoke(
      { messages: [{ role: "user", content: "go" }] },
      config,
    );
    return messages.at(-1).content;
  };
});

async function openSaver() {
  const { SqliteSaver } = await load("@langchain/langgraph-checkpoint-sqlite");
  const { default: Database } = await load("better-sqlite3");
  const folder = mkdtempSync(join(process.cwd(), "peer-"));
  process.on("exit", () => rmSync(folder, { recursive: true }));
  const database = new Database(join(folder, "checkpoints.db"));
  const saver = new SqliteSaver(database);
  saver.setup();
  database.pragma("synchronous = FULL");
  return saver;
}
