// Branches side by side with a checkpoint in memory: ms for all.
import { load, printWarmFigure } from "./load.mjs";

const { Annotation, MemorySaver, Send, START, StateGraph } = await load("@langchain/langgraph");
const count = Number(process.argv[2] ?? 1000);
const total = Annotation({ reducer: (left, right) => left + right, default: () => 0 });

const graph = new StateGraph(Annotation.Root({ total }))
  .addNode("work", async () => ({ total: 1 }))
  .addConditionalEdges(START, () =>
    Array.from({ length: count }, (_, step) => new Send("work", { step })),
  )
  .compile({ checkpointer: new MemorySaver() });
let threads = 0;
await printWarmFigure(1, async () => {
  threads += 1;
  const state = await graph.invoke({}, { configurable: { thread_id: `thread-${threads}` } });
  if (state.total !== count) throw new Error(`${state.total} of ${count}`);
});
