import { expect, test } from "vitest";
import { type QueueNode, ReadyQueue } from "../../../src/programs/primitives/ready-queue.ts";
import { processorMs } from "../../testing/processor-time.ts";

test("a node is handed out once, the moment its own dependencies are over, in the order of becoming ready [PRM-dag]", () => {
  const queue = new ReadyQueue([
    { id: "a", dependsOn: [] },
    { id: "b", dependsOn: [] },
    { id: "c", dependsOn: ["a"] },
    { id: "d", dependsOn: ["a", "b", "a"] },
  ]);
  expect(queue.take()).toEqual(["a", "b"]);
  expect(queue.take()).toEqual([]);
  queue.finish("a");
  queue.finish("a");
  expect(queue.take()).toEqual(["c"]);
  queue.finish("b");
  expect(queue.take()).toEqual(["d"]);
});

test("at most maxConcurrency nodes are out; external ones take no place", () => {
  const queue = new ReadyQueue(
    [
      { id: "gate", dependsOn: [], isExternal: true },
      { id: "a", dependsOn: [] },
      { id: "b", dependsOn: [] },
      { id: "c", dependsOn: ["gate"] },
    ],
    1,
  );
  expect(queue.take()).toEqual(["a"]);
  queue.finish("gate");
  expect(queue.take()).toEqual([]);
  queue.finish("a");
  expect(queue.take()).toEqual(["b"]);
  queue.finish("b");
  expect(queue.take()).toEqual(["c"]);
});

test("those of a group have a limit of their own, and hold up nobody else [WF-17]", () => {
  const group = { id: "g", most: 1 };
  const queue = new ReadyQueue(
    [
      { id: "a", dependsOn: [], group },
      { id: "b", dependsOn: [], group },
      { id: "c", dependsOn: [] },
      { id: "d", dependsOn: ["c"], group },
    ],
    2,
  );
  expect(queue.take()).toEqual(["a", "c"]);
  queue.finish("c");
  expect(queue.take()).toEqual([]);
  queue.finish("a");
  expect(queue.take()).toEqual(["b"]);
  queue.finish("b");
  expect(queue.take()).toEqual(["d"]);
});

/** Layers of nodes that each depend on five of the layer before. */
function layered(count: number): readonly QueueNode[] {
  const width = 100;
  return Array.from({ length: count }, (_, index) => ({
    id: `n${index}`,
    dependsOn:
      index < width
        ? []
        : [1, 2, 3, 4, 5].map(
            (step) => `n${index - width - (index % width) + ((index * step) % width)}`,
          ),
  }));
}

function drain(nodes: readonly QueueNode[]): void {
  const queue = new ReadyQueue(nodes);
  let done = 0;
  for (let ids = queue.take(); ids.length > 0; ids = queue.take()) {
    for (const id of ids) queue.finish(id);
    done += ids.length;
  }
  expect(done).toBe(nodes.length);
}

test("10,000 nodes with 50,000 edges are scheduled well within a second, and the cost per node does not grow with the graph [PRM-dag]", () => {
  const [graph, small, large] = [layered(10_000), layered(4000), layered(40_000)];
  expect(processorMs(100, () => drain(graph))).toBeLessThan(500);
  const tenSmall = processorMs(0, () => Array.from({ length: 10 }, () => drain(small)));
  // A quadratic queue would take ten times as long; the rest is caches, which other processes use too.
  expect(processorMs(0, () => drain(large))).toBeLessThan(7 * tenSmall);
});
