// Tasks of one entrypoint over SQLite, one after the other (us per task) or side by side (ms for all).
import { join } from "node:path";
import { load, printColdFigure, printWarmFigure, withFolder } from "./load.mjs";

const { entrypoint, task } = await load("@langchain/langgraph");
const { SqliteSaver } = await load("@langchain/langgraph-checkpoint-sqlite");
const { default: Database } = await load("better-sqlite3");
const count = Number(process.argv[2] ?? 100);
const isChain = process.argv[3] !== "fan-out";

const work = task("work", async (index) => `result ${index}`);
const all = async () => Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const chain = async () => {
  const results = [];
  for (let index = 0; index < count; index += 1) results.push(await work(index));
  return results;
};

const print = count < 10_000 ? printWarmFigure : printColdFigure;
await print(isChain ? 1000 / count : 1, (timed) =>
  withFolder(async (folder) => {
    const database = new Database(join(folder, "checkpoints.db"));
    const checkpointer = new SqliteSaver(database);
    checkpointer.setup();
    database.pragma("synchronous = FULL");
    const flow = entrypoint({ checkpointer, name: "flow" }, isChain ? chain : all);
    const config = { configurable: { thread_id: "flow" }, durability: "sync" };
    const results = await timed(() => flow.invoke("", config));
    if (results.at(-1) !== `result ${count - 1}`) throw new Error(`${results.length} of ${count}`);
    database.close();
  }),
);
