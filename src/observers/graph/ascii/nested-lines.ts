import type { GraphNode, WorkflowGraph } from "../../../contracts/graph.ts";
import { nodeLabel, signedLabel, type TextOptions } from "../graph-text.ts";

// More names than that are no longer read; `--format json` has them all.
const MAX_NAMES = 12;

/** What is inside of the steps of a drawing, a line each. */
export function nestedLines(graph: WorkflowGraph, options: TextOptions): readonly string[] {
  const labels = new Map(graph.nodes.map((node) => [node.id, nodeLabel(node)]));
  return [...nestedNodes(graph)].map(([id, inner]) => {
    const names = inner.slice(0, MAX_NAMES).map((node) => signedLabel(node, options));
    const more = inner.length - names.length;
    const rest = more > 0 ? [`${more} more`] : [];
    return ` in ${labels.get(id) ?? id}: ${[...names, ...rest].join(", ")}`;
  });
}

/** The nodes inside of others, by the id of the node around them. */
export function nestedNodes({
  nodes,
  edges,
}: WorkflowGraph): ReadonlyMap<string, readonly GraphNode[]> {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const inside = Map.groupBy(
    edges.filter(({ kind }) => kind === "inside"),
    ({ from }) => from,
  );
  return new Map(
    [...inside].map(([id, own]) => [id, own.flatMap(({ to }) => known.get(to) ?? [])]),
  );
}
