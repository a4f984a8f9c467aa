import { type LayeredEdge, type LayeredNode, layerGraph } from "./layering.ts";

/** A point of a drawing, in px. */
export interface PagePoint {
  readonly x: number;
  readonly y: number;
}

/** An edge as a line from one node's border to another's. */
export interface PlacedEdge {
  readonly from: string;
  readonly to: string;
  readonly isBack: boolean;
  readonly points: readonly PagePoint[];
}

/** Where everything of a graph is. */
export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  /** Top left corners by id. */
  readonly nodes: ReadonlyMap<string, PagePoint>;
  readonly edges: readonly PlacedEdge[];
}

/** How a graph is drawn; lengths in px. */
export interface LayoutOptions {
  /** Where later layers go. */
  readonly direction: "right" | "down";
  readonly nodeWidth: number;
  readonly nodeHeight: number;
  /** Width that nodes without edges are wrapped at. */
  readonly wrapWidth: number;
}

const LAYER_GAP = 44;
const NODE_GAP = 20;
const BEND_SIZE = 6;
// Long edges are straight before all else.
const BEND_PULL = 30;
const SWEEPS = 12;

/** Places a graph in layers; nodes without any edge come below them, in rows. */
export function layoutGraph(nodes: readonly LayeredNode[], options: LayoutOptions): GraphLayout {
  const known = new Set(nodes.map(({ id }) => id));
  const linked = new Set<string>();
  for (const { id, after } of nodes)
    for (const other of after) if (known.has(other)) linked.add(id).add(other);
  const layered = placeLayers(
    nodes.filter(({ id }) => linked.has(id)),
    options,
  );
  const single = nodes.filter(({ id }) => !linked.has(id)).map(({ id }) => id);
  return single.length === 0 ? layered : addRows(layered, single, options);
}

function placeLayers(nodes: readonly LayeredNode[], options: LayoutOptions): GraphLayout {
  const { direction, nodeWidth, nodeHeight } = options;
  const isRight = direction === "right";
  const [along, across] = isRight ? [nodeWidth, nodeHeight] : [nodeHeight, nodeWidth];
  const { layers, edges, neighbours } = layerGraph(nodes);
  const ids = new Set(nodes.map(({ id }) => id));
  const isBend = (id: string) => !ids.has(id);
  const sizeOf = (id: string) => (isBend(id) ? BEND_SIZE : across);
  const centres = alignLayers(layers, { neighbours, isBend, sizeOf });
  const toPoint = (main: number, cross: number): PagePoint =>
    isRight ? { x: main, y: cross } : { x: cross, y: main };
  const places = new Map<string, PagePoint>();
  const middles = new Map<string, { readonly main: number; readonly cross: number }>();
  let extent = 0;
  for (const [rank, layer] of layers.entries()) {
    const main = rank * (along + LAYER_GAP);
    for (const id of layer) {
      const cross = centres.get(id) ?? 0;
      extent = Math.max(extent, cross + sizeOf(id) / 2);
      middles.set(id, { main: main + along / 2, cross });
      if (ids.has(id)) places.set(id, toPoint(main, cross - across / 2));
    }
  }
  const depth = layers.length === 0 ? 0 : layers.length * (along + LAYER_GAP) - LAYER_GAP;
  const lineOf = ({ from, to, isBack, bends }: LayeredEdge) => {
    const [first, last] = isBack ? [to, from] : [from, to];
    const path = [first, ...bends, last].flatMap((id) => middles.get(id) ?? []);
    const line = path.flatMap(({ main, cross }, index) => {
      // A line enters and leaves its nodes at their borders, and crosses the layers between in their whole depth.
      const edgesOf = index === 0 ? [along / 2] : [-along / 2, along / 2];
      const shown = index === path.length - 1 ? [-along / 2] : edgesOf;
      return shown.map((offset) => toPoint(main + offset, cross));
    });
    return { from, to, isBack, points: line };
  };
  const size = toPoint(depth, extent);
  return { width: size.x, height: size.y, nodes: places, edges: edges.map(lineOf) };
}

interface Aligning {
  readonly neighbours: ReadonlyMap<string, readonly string[]>;
  isBend(id: string): boolean;
  sizeOf(id: string): number;
}

/** The middle of each node and bend across the layers: near its neighbours, in the order of its layer. */
function alignLayers(
  layers: readonly (readonly string[])[],
  { neighbours, isBend, sizeOf }: Aligning,
): ReadonlyMap<string, number> {
  const centres = new Map<string, number>();
  const place = (layer: readonly string[], wanted: (id: string) => number) => {
    const offsets: number[] = [];
    let offset = 0;
    for (const [index, id] of layer.entries()) {
      const previous = layer[index - 1];
      if (previous !== undefined) offset += (sizeOf(previous) + sizeOf(id)) / 2 + NODE_GAP;
      offsets.push(offset);
    }
    const placed = keepOrder(layer.map((id, index) => wanted(id) - (offsets[index] ?? 0)));
    for (const [index, id] of layer.entries())
      centres.set(id, (placed[index] ?? 0) + (offsets[index] ?? 0));
  };
  for (const layer of layers) place(layer, () => 0);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const layer of sweep % 2 === 0 ? layers : layers.toReversed())
      place(layer, (id) => {
        let [sum, total] = [0, 0];
        for (const other of neighbours.get(id) ?? []) {
          const weight = isBend(id) && isBend(other) ? BEND_PULL : 1;
          sum += weight * (centres.get(other) ?? 0);
          total += weight;
        }
        return total === 0 ? (centres.get(id) ?? 0) : sum / total;
      });
  }
  let least = Infinity;
  for (const [id, centre] of centres) least = Math.min(least, centre - sizeOf(id) / 2);
  return new Map([...centres].map(([id, centre]) => [id, Math.round(centre - least)]));
}

/** The rising row of numbers that is nearest to the wanted ones (isotonic regression, in linear time). */
function keepOrder(wanted: readonly number[]): readonly number[] {
  const blocks: { sum: number; count: number }[] = [];
  for (const value of wanted) {
    let block = { sum: value, count: 1 };
    for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
      if (last.sum / last.count <= block.sum / block.count) break;
      block = { sum: last.sum + block.sum, count: last.count + block.count };
      blocks.pop();
    }
    blocks.push(block);
  }
  return blocks.flatMap(({ sum, count }) => Array.from({ length: count }, () => sum / count));
}

function addRows(
  layout: GraphLayout,
  ids: readonly string[],
  { nodeWidth, nodeHeight, wrapWidth }: LayoutOptions,
): GraphLayout {
  const [stepX, stepY] = [nodeWidth + NODE_GAP, nodeHeight + NODE_GAP];
  const columns = Math.max(1, Math.floor((Math.max(wrapWidth, layout.width) + NODE_GAP) / stepX));
  const top = layout.height === 0 ? 0 : layout.height + LAYER_GAP;
  const nodes = new Map(layout.nodes);
  for (const [index, id] of ids.entries()) {
    const row = Math.floor(index / columns);
    nodes.set(id, { x: (index % columns) * stepX, y: top + row * stepY });
  }
  const used = Math.min(columns, ids.length);
  return {
    width: Math.max(layout.width, used * stepX - NODE_GAP),
    height: top + Math.ceil(ids.length / columns) * stepY - NODE_GAP,
    nodes,
    edges: layout.edges,
  };
}
