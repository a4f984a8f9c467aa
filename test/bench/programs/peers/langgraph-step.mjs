// One node that goes round, in memory: microseconds per step.
import { load, printWarmFigure } from "./load.mjs";

const { Annotation, END, START, StateGraph } = await load("@langchain/langgraph");
const count = Number(process.argv[2] ?? 500);

const graph = new StateGraph(Annotation.Root({ step: Annotation() }))
  .addNode("work", async ({ step }) => ({ step: step + 1 }))
  .addEdge(START, "work")
  .addConditionalEdges("work", ({ step }) => (step >= count ? END : "work"))
  .compile();
await printWarmFigure(1000 / count, () =>
  graph.invoke({ step: 0 }, { recursionLimit: count + 10 }),
);
