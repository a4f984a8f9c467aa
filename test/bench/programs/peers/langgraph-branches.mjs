// Branches of a graph side by side over SQLite, until the state of all is on disk: ms for all.
import { join } from "node:path";
import { load, printColdFigure, printWarmFigure, withFolder } from "./load.mjs";

const { Annotation, Send, START, StateGraph } = await load("@langchain/langgraph");
const { SqliteSaver } = await load("@langchain/langgraph-checkpoint-sqlite");
const { default: Database } = await load("better-sqlite3");
const count = Number(process.argv[2] ?? 1000);
const results = Annotation({ reducer: (left, right) => left.concat(right), default: () => [] });

const graph = new StateGraph(Annotation.Root({ results }))
  .addNode("work", async ({ index }) => ({ results: [`result ${index}`] }))
  .addConditionalEdges(START, () =>
    Array.from({ length: count }, (_, index) => new Send("work", { index })),
  );
const print = count < 10_000 ? printWarmFigure : printColdFigure;
await print(1, (timed) =>
  withFolder(async (folder) => {
    const database = new Database(join(folder, "checkpoints.db"));
    const checkpointer = new SqliteSaver(database);
    checkpointer.setup();
    database.pragma("synchronous = FULL");
    const config = { configurable: { thread_id: "fan-out" }, durability: "sync" };
    const state = await timed(() => graph.compile({ checkpointer }).invoke({}, config));
    if (state.results.length !== count) throw new Error(`${state.results.length} of ${count}`);
    database.close();
  }),
);
