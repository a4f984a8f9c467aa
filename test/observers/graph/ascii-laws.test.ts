import fc from "fast-check";
import { expect, test } from "vitest";
import type { WorkflowGraph } from "../../../src/contracts/graph.ts";
import { asciiGraph } from "../../../src/observers/graph/ascii/ascii-graph.ts";
import { dagOf, PLAIN } from "./graph-cases.ts";
import { traceDrawing } from "./traced-drawing.ts";

const IDS = [..."abcdefgh"];

/** Any graph in which every step waits for some of those before it. */
const anyDag = fc
  .array(fc.subarray(IDS, { maxLength: 3 }), { minLength: 2, maxLength: IDS.length })
  .map((afters) =>
    dagOf(
      Object.fromEntries(
        afters.map((after, index) => [
          IDS[index] ?? "",
          after.filter((id) => IDS.indexOf(id) < index).join(" "),
        ]),
      ),
    ),
  );

/** Edges that no longer way implies, found the slow and simple way. */
function neededEdges({ nodes, edges }: WorkflowGraph): readonly string[] {
  const next = (id: string) => edges.filter(({ from }) => from === id).map(({ to }) => to);
  const reaches = (from: string, to: string): boolean =>
    next(from).some((id) => id === to || reaches(id, to));
  const isNeeded = (from: string, to: string) =>
    !nodes.some(({ id }) => id !== to && next(from).includes(id) && reaches(id, to));
  return edges
    .filter(({ from, to }) => isNeeded(from, to))
    .map(({ from, to }) => `${from}>${to}`)
    .sort();
}

test("who follows the lines of a drawing finds exactly the edges of the graph", () => {
  let drawings = 0;
  fc.assert(
    fc.property(anyDag, (graph) => {
      const lines = asciiGraph(graph, PLAIN).filter((line) => !line.includes("also waits for"));
      if (lines.some((line) => line.includes("as a list"))) return;
      drawings += 1;
      const ids = graph.nodes.map(({ id }) => id);
      expect(traceDrawing(lines, ids)).toEqual(neededEdges(graph));
    }),
    { numRuns: 500 },
  );
  expect(drawings).toBeGreaterThan(250);
});
