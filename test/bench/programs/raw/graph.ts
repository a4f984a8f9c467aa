// Finding cycles and an order by counting what each node waits for: ms.
import { countArgument, printWarmFigure, timed } from "../../figure.ts";
import { createGraph } from "../../graph.ts";

const count = countArgument(10_000);
const graph = createGraph(count, count * 5);

await printWarmFigure(() => timed(order));

function order(): void {
  const dependents: number[][] = graph.map(() => []);
  const missing = graph.map((dependencies) => dependencies.length);
  for (const [node, dependencies] of graph.entries()) {
    for (const dependency of dependencies) dependents[dependency]?.push(node);
  }
  const ready = [...graph.keys()].filter((node) => missing[node] === 0);
  for (const node of ready) {
    for (const dependent of dependents[node] ?? []) {
      const left = (missing[dependent] ?? 0) - 1;
      missing[dependent] = left;
      if (left === 0) ready.push(dependent);
    }
  }
  if (ready.length !== count) throw new Error("the graph has a cycle");
}
