import type { GraphEdge, GraphNode, WorkflowGraph } from "../../contracts/graph.ts";

const ASIDE: ReadonlySet<GraphEdge["kind"]> = new Set([
  "fallback",
  "escalation",
  "shadow",
  "inside",
]);

/**
 * Whether an edge leads to what stands beside the order: an agent that helps when something fails, or that watches,
 * and a step inside of another.
 */
export function isAside({ kind }: GraphEdge): boolean {
  return ASIDE.has(kind);
}

/** The nodes that a drawing as text has: all but those that stand beside the order. */
export function drawnNodes({ nodes, edges }: WorkflowGraph): readonly GraphNode[] {
  const aside = new Set(edges.filter(isAside).map(({ to }) => to));
  const inside = new Set(edges.filter(({ kind }) => kind === "inside").map(({ to }) => to));
  return nodes.filter(({ id, kind }) => !inside.has(id) && (kind !== "agent" || !aside.has(id)));
}
