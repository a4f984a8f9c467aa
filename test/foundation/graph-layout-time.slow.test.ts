import { expect, test } from "vitest";
import { layoutGraph } from "../../src/foundation/graph-layout.ts";
import { processorMs } from "../testing/processor-time.ts";

// Apart from where things go: mutated code, which counts its own steps, is slow whatever it does.

/** So many layouts of a graph of so many nodes, with long lines and a circle. */
function layouts(times: number, count: number): () => void {
  const ids = Array.from({ length: count }, (_, index) => `s${index}`);
  const nodes = ids.map((id) => ({ id, width: 160, height: 50 }));
  const links = ids.flatMap((to, index) => {
    const sources = [1, 3, 2 + ((index * 7) % 11)].map((steps) => `s${index - steps}`);
    if (index === 3) sources.push(`s${count / 2}`);
    return sources.map((from) => ({ from, to, labelWidth: 0 }));
  });
  return () => {
    for (let done = 0; done < times; done += 1)
      layoutGraph(nodes, links, { direction: "right", wrapWidth: 800 });
  };
}

test("300 nodes with long lines and a circle are laid out in no time, and a node among them costs about what one of 100 does", () => {
  expect(processorMs(50, layouts(1, 300))).toBeLessThan(500);
  // As many nodes each, in the same process: three times as much work would be quadratic, nine times cubic.
  const small = processorMs(0, layouts(6, 100));
  expect(processorMs(0, layouts(2, 300))).toBeLessThan(6 * small);
});
