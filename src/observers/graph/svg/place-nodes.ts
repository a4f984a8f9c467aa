import dagre from "@dagrejs/dagre";
import type { GraphEdge } from "../../../contracts/graph.ts";
import { cutBackLinks, layersOf } from "../../../foundation/graph-layers.ts";

/** A point in pixels. */
export interface SvgPoint {
  readonly x: number;
  readonly y: number;
}

/** The size of a node in pixels. */
export interface Size {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** Where everything stands: nodes by their middle, edges as the points they pass, in the order given. */
export interface Placement {
  readonly width: number;
  readonly height: number;
  readonly nodes: ReadonlyMap<string, SvgPoint>;
  readonly edges: readonly (readonly SvgPoint[])[];
}

// Beyond these the better ways to place nodes take longer than anybody waits.
const MAX_FOR_BEST_RANKS = 100;
const MAX_FOR_DAGRE = 300;
const GAP = 18;
const LAYER_GAP = 56;

/** Places the nodes of a graph from left to right; the same graph always comes out the same. */
export function placeNodes(sizes: readonly Size[], edges: readonly GraphEdge[]): Placement {
  const weight = sizes.length + edges.length / 2;
  return weight > MAX_FOR_DAGRE ? placeInLayers(sizes, edges) : placeByDagre(sizes, edges);
}

function placeByDagre(sizes: readonly Size[], edges: readonly GraphEdge[]): Placement {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  const ranker = sizes.length > MAX_FOR_BEST_RANKS ? "longest-path" : "network-simplex";
  graph.setGraph({
    rankdir: "LR",
    ranker,
    nodesep: GAP,
    ranksep: LAYER_GAP,
    marginx: 12,
    marginy: 12,
  });
  for (const { id, width, height } of sizes) graph.setNode(id, { width, height });
  for (const [index, { from, to }] of edges.entries())
    graph.setEdge(from, to, { weight: 1 }, String(index));
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  // Dagre fills its layers from below; what is written first stands on top here.
  const upright = ({ x, y }: SvgPoint): SvgPoint => ({ x, y: height - y });
  return {
    width,
    height,
    nodes: new Map(sizes.map(({ id }) => [id, upright(graph.node(id))])),
    edges: edges.map(({ from, to }, index) =>
      graph.edge(from, to, String(index)).points.map(upright),
    ),
  };
}

/** Layers as columns, one node below the other: for graphs so large that only their extent is seen. */
function placeInLayers(sizes: readonly Size[], edges: readonly GraphEdge[]): Placement {
  const ids = sizes.map(({ id }) => id);
  const layerOf = layersOf(ids, cutBackLinks(ids, edges).onward);
  const widest = Math.max(...sizes.map(({ width }) => width));
  const tallest = Math.max(...sizes.map(({ height }) => height));
  const counts: number[] = [];
  const nodes = new Map<string, SvgPoint>();
  for (const { id } of sizes) {
    const layer = layerOf.get(id) ?? 0;
    const position = counts[layer] ?? 0;
    counts[layer] = position + 1;
    nodes.set(id, {
      x: GAP + widest / 2 + layer * (widest + LAYER_GAP),
      y: GAP + tallest / 2 + position * (tallest + GAP),
    });
  }
  const half = new Map(sizes.map(({ id, width }) => [id, width / 2]));
  const at = (id: string, side: 1 | -1): SvgPoint => {
    const { x, y } = nodes.get(id) ?? { x: 0, y: 0 };
    return { x: x + side * (half.get(id) ?? 0), y };
  };
  return {
    width: GAP * 2 - LAYER_GAP + counts.length * (widest + LAYER_GAP),
    height: GAP + Math.max(...counts) * (tallest + GAP),
    nodes,
    edges: edges.map(({ from, to }) => [at(from, 1), at(to, -1)]),
  };
}
