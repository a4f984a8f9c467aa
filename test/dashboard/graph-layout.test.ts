import fc from "fast-check";
import { expect, test } from "vitest";
import { edgePath } from "../../src/dashboard/client/graph/edge-path.ts";
import { type LayoutOptions, layoutGraph } from "../../src/dashboard/client/graph/graph-layout.ts";
import { type LayeredNode, layerGraph } from "../../src/dashboard/client/graph/layering.ts";

const options: LayoutOptions = {
  direction: "right",
  nodeWidth: 160,
  nodeHeight: 50,
  wrapWidth: 800,
};

function node(id: string, ...after: string[]): LayeredNode {
  return { id, after };
}

const DIAMOND = [node("a"), node("b", "a"), node("c", "a"), node("d", "b", "c", "a")];

// Up to 30 nodes, each after any others: cycles, loops, doubles and unknown names included.
const anyGraph = fc
  .array(fc.array(fc.nat(31), { maxLength: 5 }), { maxLength: 30 })
  .map((lists) => lists.map((after, index) => node(`n${index}`, ...after.map((of) => `n${of}`))));

test("what comes after something stands to its right, and what is parallel stands side by side", () => {
  const { nodes } = layoutGraph(DIAMOND, options);
  const place = (id: string) => nodes.get(id) ?? { x: Number.NaN, y: Number.NaN };
  expect([place("a").x, place("b").x, place("c").x, place("d").x]).toEqual([0, 204, 204, 408]);
  expect(Math.abs(place("b").y - place("c").y)).toBeGreaterThanOrEqual(options.nodeHeight);
});

test("every graph is laid out without two nodes on each other, and each edge but back ones leads on", () => {
  fc.assert(
    fc.property(
      anyGraph,
      fc.constantFrom("right" as const, "down" as const),
      (nodes, direction) => {
        const layout = layoutGraph(nodes, { ...options, direction });
        expect([...layout.nodes.keys()].sort()).toEqual(nodes.map(({ id }) => id).sort());
        const placed = [...layout.nodes.values()];
        for (const [index, one] of placed.entries())
          for (const other of placed.slice(index + 1)) {
            const isApart =
              Math.abs(one.x - other.x) >= options.nodeWidth ||
              Math.abs(one.y - other.y) >= options.nodeHeight;
            expect(isApart, JSON.stringify([one, other])).toBe(true);
          }
        for (const { x, y } of placed) {
          expect(x).toBeGreaterThanOrEqual(0);
          expect(y).toBeGreaterThanOrEqual(0);
          expect(x + options.nodeWidth).toBeLessThanOrEqual(layout.width + 0.5);
          expect(y + options.nodeHeight).toBeLessThanOrEqual(layout.height + 0.5);
        }
        const along = direction === "right" ? "x" : "y";
        for (const { from, to, isBack } of layout.edges) {
          const [start, end] = [layout.nodes.get(from), layout.nodes.get(to)];
          if (start === undefined || end === undefined) throw new Error("an edge leads nowhere");
          if (!isBack) expect(start[along]).toBeLessThan(end[along]);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("a cycle is cut where it comes back, and stays in the drawing", () => {
  const { edges } = layerGraph([node("write", "check"), node("check", "write")]);
  expect(edges.map(({ from, to, isBack }) => [from, to, isBack]).sort()).toEqual([
    ["check", "write", false],
    ["write", "check", true],
  ]);
});

test("steps without edges fill rows instead of one endless column", () => {
  const many = Array.from({ length: 50 }, (_, index) => node(`worker-${index}`));
  const { width, height } = layoutGraph(many, options);
  expect(width).toBeLessThanOrEqual(options.wrapWidth);
  expect(height).toBe(13 * 70 - 20);
});

test("a chain of 3,000 steps needs no recursion", () => {
  const chain = Array.from({ length: 3000 }, (_, index) => node(`${index}`, `${index + 1}`));
  expect(layoutGraph(chain, options).nodes.size).toBe(3000);
});

test("an edge is straight where it can be and curved between layers", () => {
  const points = [
    { x: 0, y: 10 },
    { x: 40, y: 30 },
    { x: 80, y: 30 },
  ];
  expect(edgePath(points, "right")).toBe("M0,10C20,10 20,30 40,30L80,30");
  expect(edgePath([], "right")).toBe("");
});
