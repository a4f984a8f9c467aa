/** Nodes by number, each with the numbers of the nodes that it waits for. */
export type BenchGraph = readonly (readonly number[])[];

/** A graph without cycles: `edges / nodes` dependencies per node, spread over the earlier ones. */
export function createGraph(nodes: number, edges: number): BenchGraph {
  const perNode = Math.round(edges / nodes);
  return Array.from({ length: nodes }, (_, node) => {
    const wanted = Math.min(node, perNode);
    const chosen = new Set<number>();
    for (let at = node * 31 + 7; chosen.size < wanted; at += 1) chosen.add(at % node);
    return [...chosen];
  });
}
