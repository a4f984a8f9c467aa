import type { GraphNode, WorkflowGraph } from "../../../src/contracts/graph.ts";
import { asciiGraph } from "../../../src/observers/graph/ascii/ascii-graph.ts";
import { graphOfSteps } from "../../../src/observers/graph/graph-of-steps.ts";
import type { TextOptions } from "../../../src/observers/graph/graph-text.ts";
import {
  defineTestWorkflow,
  type TestWorkflow,
} from "../../../src/testing/define-test-workflow.ts";

/** Text without colours, 80 columns wide. */
export const PLAIN: TextOptions = {
  width: 80,
  isAscii: false,
  signs: {
    pending: "",
    running: "●",
    retrying: "↻",
    waiting: "▲",
    completed: "✔",
    failed: "✖",
    skipped: "○",
    blocked: "⏸",
    cancelled: "⊘",
  },
  paint: (text) => text,
};

/** The graph of a workflow; `order` as its pattern has it. */
export function graphFor(
  workflow: TestWorkflow,
  order: "list" | "graph" | "none" = "graph",
): WorkflowGraph {
  return graphOfSteps(defineTestWorkflow(workflow), order);
}

/** A dag of steps of one agent: `{ test: "code-api code-ui" }` is a step after two others. */
export function dagOf(steps: { readonly [id: string]: string }): WorkflowGraph {
  return graphFor({
    agents: [{ id: "coder" }],
    steps: Object.entries(steps).map(([id, after]) => ({
      id,
      dependsOn: after.split(" ").filter((word) => word !== ""),
    })),
  });
}

/** The graph with the given members in each of its steps. */
export function withEach(
  graph: WorkflowGraph,
  members: (node: GraphNode, index: number) => Partial<GraphNode>,
): WorkflowGraph {
  return {
    ...graph,
    nodes: graph.nodes.map((node, index) => ({ ...node, ...members(node, index) })),
  };
}

/** The drawing as one text that begins with a line break, as template literals do. */
export function drawn(graph: WorkflowGraph, options: Partial<TextOptions> = {}): string {
  return `\n${asciiGraph(graph, { ...PLAIN, ...options }).join("\n")}\n`;
}

/** A layered dag: `width` steps per layer, each after the step of the same place and its neighbour. */
export function layeredDag(size: number, width: number): WorkflowGraph {
  const after = (index: number) =>
    index < width ? "" : `s${index - width} s${index - (index % width === 0 ? width : width + 1)}`;
  return dagOf(
    Object.fromEntries(
      Array.from({ length: size }, (_, index) => [
        `s${index}`,
        [...new Set(after(index).split(" "))].join(" "),
      ]),
    ),
  );
}
