// A chain of nodes over SQLite that waits for the disk after every one: microseconds per step.
import { join } from "node:path";
import { load, printWarmFigure, withFolder } from "./load.mjs";

const { Annotation, START, StateGraph } = await load("@langchain/langgraph");
const { SqliteSaver } = await load("@langchain/langgraph-checkpoint-sqlite");
const { default: Database } = await load("better-sqlite3");
const count = Number(process.argv[2] ?? 100);

let graph = new StateGraph(Annotation.Root({ text: Annotation() }));
let previous = START;
for (let index = 0; index < count; index += 1) {
  const name = `stage-${index}`;
  graph = graph.addNode(name, async () => ({ text: `result ${index}` })).addEdge(previous, name);
  previous = name;
}
await printWarmFigure(1000 / count, (timed) =>
  withFolder(async (folder) => {
    const database = new Database(join(folder, "checkpoints.db"));
    const checkpointer = new SqliteSaver(database);
    checkpointer.setup();
    database.pragma("synchronous = FULL");
    const chain = graph.compile({ checkpointer });
    const config = { configurable: { thread_id: "chain" }, recursionLimit: count + 10 };
    const state = await timed(() => chain.invoke({ text: "" }, { ...config, durability: "sync" }));
    if (state.text !== `result ${count - 1}`) throw new Error(`ended with ${state.text}`);
    database.close();
  }),
);
