// Looking for cycles, then handing out every node when its dependencies are over: ms.
import { ReadyQueue } from "../../../../src/programs/primitives/ready-queue.ts";
import { findCycles } from "../../../../src/workflows/checks/check-order.ts";
import { countArgument, printWarmFigure, timed } from "../../figure.ts";
import { createGraph } from "../../graph.ts";

const count = countArgument(10_000);
const nodes = createGraph(count, count * 5).map((dependencies, node) => ({
  id: `node-${node}`,
  dependsOn: dependencies.map((dependency) => `node-${dependency}`),
}));

await printWarmFigure(() => timed(validateAndSchedule));

function validateAndSchedule(): void {
  const cycles = findCycles(new Map(nodes.map(({ id, dependsOn }) => [id, dependsOn])));
  if (cycles.length > 0) throw new Error("the graph has a cycle");
  const queue = new ReadyQueue(nodes);
  let finished = 0;
  for (let ready = queue.take(); ready.length > 0; ready = queue.take()) {
    for (const id of ready) queue.finish(id);
    finished += ready.length;
  }
  if (finished !== count) throw new Error(`${finished} of ${count} nodes were handed out`);
}
