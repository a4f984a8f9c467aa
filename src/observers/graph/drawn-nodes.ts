import type { GraphEdge, GraphNode, WorkflowGraph } from "../../contracts/graph.ts";

/** Whether an edge leads to an agent beside the order: one that helps when something fails, or that watches. */
export function isAside({ kind }: GraphEdge): boolean {
  return kind === "fallback" || kind === "escalation" || kind === "shadow";
}

/** The nodes that a drawing as text has: all but agents that stand beside the order. */
export function drawnNodes({ nodes, edges }: WorkflowGraph): readonly GraphNode[] {
  const aside = new Set(edges.filter(isAside).map(({ to }) => to));
  return nodes.filter(({ id, kind }) => kind !== "agent" || !aside.has(id));
}
