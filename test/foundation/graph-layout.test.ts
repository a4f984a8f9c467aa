import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type DrawnLink,
  type GraphLayout,
  type LayoutOptions,
  layoutGraph,
  linePath,
} from "../../src/foundation/graph-layout.ts";
import type { SizedNode } from "../../src/foundation/graph-spots.ts";

const options: LayoutOptions = { direction: "right", wrapWidth: 800 };

interface Graph {
  readonly nodes: readonly SizedNode[];
  readonly links: readonly DrawnLink[];
}

/** `b: ["a"]` is a node after another one; names that are no node are links to nowhere. */
function graphOf(after: { readonly [id: string]: readonly string[] }): Graph {
  return {
    nodes: Object.keys(after).map((id) => ({ id, width: 160, height: 50 })),
    links: Object.entries(after).flatMap(([to, sources]) =>
      sources.map((from) => ({ from, to, labelWidth: 0 })),
    ),
  };
}

function layout({ nodes, links }: Graph, changed: Partial<LayoutOptions> = {}) {
  return layoutGraph(nodes, links, { ...options, ...changed });
}

function placeOf({ nodes }: GraphLayout<DrawnLink>, id: string) {
  return nodes.get(id) ?? { x: Number.NaN, y: Number.NaN };
}

// Up to 30 nodes of any size, each after any others: cycles, loops, doubles and unknown names included.
const anyGraph = fc
  .array(
    fc.record({
      after: fc.array(fc.record({ of: fc.nat(31), labelWidth: fc.nat(90) }), { maxLength: 5 }),
      width: fc.integer({ min: 60, max: 300 }),
      height: fc.integer({ min: 40, max: 80 }),
    }),
    { maxLength: 30 },
  )
  .map((all): Graph => {
    return {
      nodes: all.map(({ width, height }, index) => ({ id: `n${index}`, width, height })),
      links: all.flatMap(({ after }, index) =>
        after.map(({ of, labelWidth }) => ({ from: `n${of}`, to: `n${index}`, labelWidth })),
      ),
    };
  });
const anyDirection = fc.constantFrom("right" as const, "down" as const);

test("what comes after something stands to its right, and what is parallel stands side by side", () => {
  const diamond = layout(graphOf({ a: [], b: ["a"], c: ["a"], d: ["b", "c", "a"] }));
  const places = ["a", "b", "c", "d"].map((id) => placeOf(diamond, id));
  expect(places.map(({ x }) => x)).toEqual([0, 204, 204, 408]);
  expect(placeOf(diamond, "c").y - placeOf(diamond, "b").y).toBeGreaterThanOrEqual(50);
});

test("every graph is laid out without two nodes on each other, and each edge but back ones leads on", () => {
  fc.assert(
    fc.property(anyGraph, anyDirection, (graph, direction) => {
      const { nodes, lines, width, height } = layout(graph, { direction });
      expect([...nodes.keys()].sort()).toEqual(graph.nodes.map(({ id }) => id).sort());
      const placed = graph.nodes.map((node) => ({ ...node, ...nodes.get(node.id) }));
      const boxes = placed.map(({ x = -1, y = -1, ...size }) => {
        return { left: x, top: y, right: x + size.width, bottom: y + size.height };
      });
      for (const [index, one] of boxes.entries()) {
        for (const other of boxes.slice(index + 1)) {
          const isBeside = one.right <= other.left || other.right <= one.left;
          const isBelow = one.bottom <= other.top || other.bottom <= one.top;
          expect(isBeside || isBelow, JSON.stringify([one, other])).toBe(true);
        }
        expect(Math.min(one.left, one.top)).toBeGreaterThanOrEqual(0);
        expect(one.right).toBeLessThanOrEqual(width + 0.5);
        expect(one.bottom).toBeLessThanOrEqual(height + 0.5);
      }
      for (const { link, isBack, points } of lines) {
        const along = direction === "right" ? "x" : "y";
        const [start, end] = [points[0], points.at(-1)];
        if (start === undefined || end === undefined) throw new Error("a line has no ends");
        if (!isBack) expect(start[along]).toBeLessThan(end[along]);
        expect(link.from === link.to ? isBack : true).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});

test("no line leaves the drawing, whatever it goes around", () => {
  fc.assert(
    fc.property(anyGraph, anyDirection, (graph, direction) => {
      const { lines, width, height } = layout(graph, { direction });
      for (const { x, y } of lines.flatMap(({ points }) => points)) {
        expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
        expect(x).toBeLessThanOrEqual(width);
        expect(y).toBeLessThanOrEqual(height);
      }
    }),
    { numRuns: 60 },
  );
});

test("every line begins at the border of its source and ends at that of its target", () => {
  fc.assert(
    fc.property(anyGraph, (graph) => {
      const placed = layout(graph);
      const sizes = new Map(graph.nodes.map((node) => [node.id, node]));
      const isAtBorder = (id: string, point: { x: number; y: number } | undefined) => {
        const { x, y } = placeOf(placed, id);
        const { width = 0, height = 0 } = sizes.get(id) ?? {};
        const isInHeight = point !== undefined && point.y >= y - 60 && point.y <= y + height + 60;
        return isInHeight && (point.x === x || point.x === x + width);
      };
      for (const { link, points } of placed.lines) {
        if (link.from === link.to) continue;
        expect(isAtBorder(link.from, points[0]), JSON.stringify(link)).toBe(true);
        expect(isAtBorder(link.to, points.at(-1)), JSON.stringify(link)).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});

test("the same graph always comes out the same", () => {
  fc.assert(
    fc.property(anyGraph, anyDirection, (graph, direction) => {
      expect(layout(graph, { direction })).toEqual(layout(graph, { direction }));
    }),
    { numRuns: 20 },
  );
});

test("a cycle is entered at its first node, cut where it comes back, and stays in the drawing", () => {
  const circle = layout(graphOf({ write: ["check"], check: ["write"] }));
  expect(circle.lines.map(({ link, isBack }) => [link.from, link.to, isBack])).toEqual([
    ["check", "write", true],
    ["write", "check", false],
  ]);
  expect(placeOf(circle, "write").x).toBeLessThan(placeOf(circle, "check").x);
});

test("lines that join the same two nodes do not lie on each other", () => {
  const [back, onward] = layout(graphOf({ write: ["check"], check: ["write"] })).lines;
  expect(back?.points.map(({ y }) => y)).toEqual([18, 18]);
  expect(onward?.points.map(({ y }) => y)).toEqual([32, 32]);
});

test("lines leave a side of a node in the order in which they lead away, so that they do not cross", () => {
  const { lines } = layout(graphOf({ gate: ["fix"], ship: ["gate"], fix: ["gate"] }));
  const [back, toShip, toFix] = lines;
  const atGate = [toShip?.points[0], back?.points.at(-1), toFix?.points[0]];
  expect(atGate.map((point) => point?.x)).toEqual([160, 160, 160]);
  const heights = atGate.map((point) => point?.y ?? Number.NaN);
  expect(heights).toEqual([...new Set(heights)].sort((left, right) => left - right));
});

test("lines that all leave a node, or all come to it, meet it in its middle", () => {
  const { lines } = layout(graphOf({ a: [], b: ["a"], c: ["a"], d: ["b", "c"] }));
  const [toB, toC, fromB, fromC] = lines;
  expect(toB?.points[0]).toEqual(toC?.points[0]);
  expect(fromB?.points.at(-1)).toEqual(fromC?.points.at(-1));
});

test("what comes back to a node does not meet it where lines leave it", () => {
  const [back, onward] = layout(graphOf({ a: ["c"], b: ["a"], c: ["b"] })).lines;
  expect(back?.points.at(-1)?.x).toBe(onward?.points[0]?.x);
  expect(back?.points.at(-1)?.y).not.toBe(onward?.points[0]?.y);
});

test("a link to its own node stands above it, below what is above", () => {
  const placed = layout(graphOf({ a: [], b: ["a"], c: ["a", "c"] }));
  const loop = placed.lines.find(({ link }) => link.from === link.to);
  const heights = loop?.points.map(({ y }) => y) ?? [];
  const border = placeOf(placed, "c").y;
  expect([heights[0], heights.at(-1)]).toEqual([border, border]);
  expect(Math.min(...heights)).toBeLessThan(border - 20);
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(placeOf(placed, "b").y + 50);
});

test("a long line runs straight where nothing is in its way", () => {
  const { lines } = layout(
    graphOf({ a: [], b: ["a"], c: ["b"], d: ["b"], e: ["c", "d"], f: ["e", "a"], g: ["f"] }),
  );
  const long = lines.find(({ link }) => link.from === "a" && link.to === "f");
  const between = long?.points.slice(1, -1).map(({ y }) => y) ?? [];
  expect(between).toHaveLength(6);
  expect(new Set(between).size).toBe(1);
});

test("no line runs through a node or close to one", () => {
  fc.assert(
    fc.property(anyGraph, (graph) => {
      const { nodes, lines } = layout(graph);
      for (const { points } of lines)
        for (const [index, to] of points.slice(1).entries()) {
          const from = points[index];
          if (from?.y !== to.y) continue;
          const [left, right] = [from.x, to.x].sort((one, other) => one - other);
          for (const { id, width, height } of graph.nodes) {
            const { x, y } = nodes.get(id) ?? { x: Infinity, y: Infinity };
            const isBeside = (right ?? 0) <= x || (left ?? 0) >= x + width;
            const isApart = to.y <= y - 19 || to.y >= y + height + 19;
            expect(isBeside || isApart, id).toBe(true);
          }
        }
    }),
    { numRuns: 300 },
  );
});

test("what begins late stands before what waits for it, with what leads to it alone", () => {
  const late = layout(graphOf({ a: [], b: ["a"], c: ["b"], d: ["c", "y"], x: [], y: ["x"] }));
  expect(placeOf(late, "y").x).toBe(placeOf(late, "c").x);
  expect(placeOf(late, "x").x).toBe(placeOf(late, "b").x);
});

test("what is written beside a line has room between the layers", () => {
  const graph = graphOf({ a: [], b: ["a"] });
  const links = graph.links.map((link) => ({ ...link, labelWidth: 120 }));
  const { lines, ...placed } = layout({ ...graph, links });
  expect(placeOf({ lines, ...placed }, "b").x).toBeGreaterThanOrEqual(160 + 120);
  expect(lines[0]?.label.x).toBe(160 + (120 + 28) / 2);
});

test("steps without edges fill rows instead of one endless column", () => {
  const many = graphOf(
    Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`worker-${index}`, []])),
  );
  const { width, height } = layout(many);
  expect(width).toBeLessThanOrEqual(options.wrapWidth);
  expect(height).toBe(13 * 70 - 20);
});

test("a chain of 3,000 steps needs no recursion", () => {
  const ids = Array.from({ length: 3000 }, (_, index) => [`s${index}`, [`s${index + 1}`]] as const);
  expect(layout(graphOf(Object.fromEntries(ids))).nodes.size).toBe(3000);
});

test("an edge is straight where it can be and curved between layers", () => {
  const points = [
    { x: 0, y: 10 },
    { x: 40, y: 30 },
    { x: 80, y: 30 },
  ];
  const link = { from: "a", to: "b" };
  expect(linePath({ link, points }, "right")).toBe("M0,10C20,10 20,30 40,30L80,30");
  expect(linePath({ link, points: [] }, "right")).toBe("");
});
