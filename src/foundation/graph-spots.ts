import { cutBackLinks, type LayerWire, type Link, layersOf, orderLayers } from "./graph-layers.ts";

/** A node that is to be placed; lengths in px. */
export interface SizedNode {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** A node, or the bend of a long line where it passes a layer. Layers are columns here. */
export interface GraphSpot {
  /** Undefined for a bend. */
  readonly node: SizedNode | undefined;
  readonly layer: number;
  /** With room for links to itself. */
  readonly height: number;
  /** What lines join it with in the layers beside. */
  readonly neighbours: GraphSpot[];
  /** Place in its layer, from 0. */
  index: number;
  /** Least distance of its middle from that of the first in its layer. */
  offset: number;
  /** The middle in y. */
  centre: number;
}

/** The spots that a link joins, from the earlier layer to the later one; a link to its own node has only that. */
export interface SpotPath<Kind extends Link> {
  readonly link: Kind;
  readonly isBack: boolean;
  readonly spots: readonly GraphSpot[];
  /** Where it meets the first and the last of them, in y from their middles. */
  readonly ports: [first: number, last: number];
}

/** Room beside a node for links that lead to itself. */
export const LOOP_SIZE = 26;
/** Between the nodes of a layer. */
export const NODE_GAP = 20;

const BEND_SIZE = 6;
// Long lines of huge graphs are drawn straight: their bends would be most of the work.
const MAX_BENDS = 4000;
// Long lines are straight before all else.
const BEND_PULL = 30;
const SWEEPS = 12;

/** Gives nodes and the bends of long links their layers, orders and heights; paths come in the order of the links. */
export function placeSpots<Kind extends Link>(
  nodes: readonly SizedNode[],
  links: readonly Kind[],
): { readonly layers: readonly GraphSpot[][]; readonly paths: readonly SpotPath<Kind>[] } {
  const ids = nodes.map(({ id }) => id);
  const { onward, back } = cutBackLinks(ids, links);
  const layerOf = withoutLongLeads(layersOf(ids, onward), onward);
  const layers: GraphSpot[][] = [];
  const looped = new Set(links.flatMap(({ from, to }) => (from === to ? [from] : [])));
  const spots = new Map<string, GraphSpot>();
  for (const node of nodes) {
    const height = node.height + (looped.has(node.id) ? 2 * LOOP_SIZE : 0);
    spots.set(node.id, addSpot(layers, layerOf.get(node.id) ?? 0, { node, height }));
  }
  const isBack = new Set<Link>(back);
  let bendsLeft = MAX_BENDS;
  const paths = links.map((link): SpotPath<Kind> => {
    const ends = [link.from, link.to].flatMap((id) => spots.get(id) ?? []);
    if (isBack.has(link)) ends.reverse();
    const bends = bendsBetween(layers, ends, bendsLeft);
    bendsLeft -= bends.length;
    const way =
      link.from === link.to ? ends.slice(1) : [...ends.slice(0, 1), ...bends, ...ends.slice(1)];
    return { link, isBack: isBack.has(link), spots: way, ports: [0, 0] };
  });
  orderLayers(layers, joinNeighbours(layers, paths));
  alignLayers(layers, paths);
  return { layers, paths };
}

function addSpot(
  layers: GraphSpot[][],
  layer: number,
  what: Pick<GraphSpot, "node" | "height">,
): GraphSpot {
  while (layers.length <= layer) layers.push([]);
  const index = layers[layer]?.length ?? 0;
  const spot = { ...what, layer, neighbours: [], index, offset: 0, centre: 0 };
  layers[layer]?.push(spot);
  return spot;
}

function bendsBetween(
  layers: GraphSpot[][],
  [first, last]: readonly GraphSpot[],
  bendsLeft: number,
): readonly GraphSpot[] {
  const begin = (first?.layer ?? 0) + 1;
  const count = (last?.layer ?? 0) - begin;
  if (count < 1 || count > bendsLeft) return [];
  return Array.from({ length: count }, (_, index) =>
    addSpot(layers, begin + index, { node: undefined, height: BEND_SIZE }),
  );
}

/** What begins a way of its own stands right before what the way joins, not at the start of the whole graph. */
function withoutLongLeads(
  layerOf: ReadonlyMap<string, number>,
  onward: readonly Link[],
): ReadonlyMap<string, number> {
  const before = Map.groupBy(onward, ({ to }) => to);
  const next = Map.groupBy(onward, ({ from }) => from);
  const moved = new Map(layerOf);
  const leads = new Set<string>();
  const isLeadOnly = ({ from }: Link) => leads.has(from) && next.get(from)?.length === 1;
  for (const [id] of [...layerOf].sort(([, left], [, right]) => left - right)) {
    const sources = before.get(id) ?? [];
    if (sources.length < 2 && sources.every(isLeadOnly)) leads.add(id);
  }
  for (const id of [...leads].reverse()) {
    const targets = next.get(id)?.map(({ to }) => moved.get(to) ?? 0) ?? [];
    if (targets.length > 0) moved.set(id, Math.min(...targets) - 1);
  }
  return moved;
}

/** The wires from each layer to the next. */
function joinNeighbours(
  layers: readonly unknown[],
  paths: readonly SpotPath<Link>[],
): readonly (readonly LayerWire<GraphSpot>[])[] {
  const channels = layers.slice(1).map((): LayerWire<GraphSpot>[] => []);
  for (const { spots } of paths)
    for (const [index, to] of spots.slice(1).entries()) {
      const from = spots[index];
      // Long lines that are drawn straight join no layers that stand beside each other.
      if (from?.layer !== to.layer - 1) continue;
      channels[from.layer]?.push({ from, to });
      from.neighbours.push(to);
      to.neighbours.push(from);
    }
  return channels;
}

/** Gives each spot its middle: near its neighbours, in the order of its layer. */
function alignLayers(
  layers: readonly (readonly GraphSpot[])[],
  paths: readonly SpotPath<Link>[],
): void {
  for (const layer of layers)
    for (const [index, spot] of layer.entries()) {
      const above = layer[index - 1];
      if (above !== undefined) spot.offset = above.offset + distance(above, spot);
      spot.centre = spot.offset;
    }
  for (let sweep = 0; sweep < SWEEPS; sweep += 1)
    for (const layer of sweep % 2 === 0 ? layers : layers.toReversed()) alignLayer(layer);
  for (const { spots } of paths) levelBends(layers, spots.slice(1, -1));
  const spots = layers.flat();
  for (const spot of spots) {
    const [only, ...others] = spot.neighbours;
    if (only?.node !== undefined && others.length === 0)
      spot.centre = nearest(only.centre, rangeOf(layers, spot));
  }
  const least = spots.reduce((top, spot) => Math.min(top, spot.centre - spot.height / 2), Infinity);
  // Whole pixels at the upper border: at the middle they would push odd heights out of the drawing.
  for (const spot of spots)
    spot.centre = Math.round(spot.centre - spot.height / 2 - least) + spot.height / 2;
}

function distance(above: GraphSpot, below: GraphSpot): number {
  return (above.height + below.height) / 2 + NODE_GAP;
}

/** Moves the spots of a layer as near to their neighbours as their order allows (isotonic regression, in linear time). */
function alignLayer(layer: readonly GraphSpot[]): void {
  const blocks: { sum: number; count: number }[] = [];
  for (const spot of layer) {
    const block = { sum: wantedCentre(spot) - spot.offset, count: 1 };
    for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
      if (last.sum / last.count <= block.sum / block.count) break;
      block.sum += last.sum;
      block.count += last.count;
      blocks.pop();
    }
    blocks.push(block);
  }
  let begin = 0;
  for (const { sum, count } of blocks) {
    for (const spot of layer.slice(begin, begin + count)) spot.centre = sum / count + spot.offset;
    begin += count;
  }
}

function wantedCentre({ node, neighbours, centre }: GraphSpot): number {
  let [sum, total] = [0, 0];
  for (const other of neighbours) {
    const weight = node === undefined && other.node === undefined ? BEND_PULL : 1;
    sum += weight * other.centre;
    total += weight;
  }
  return total === 0 ? centre : sum / total;
}

type Range = readonly [least: number, most: number];

/** Lets the bends of a line stand level, as many in a row as have room for that. */
function levelBends(layers: readonly (readonly GraphSpot[])[], bends: readonly GraphSpot[]): void {
  let [row, range]: [GraphSpot[], Range] = [[], [-Infinity, Infinity]];
  for (const bend of bends) {
    const own = rangeOf(layers, bend);
    const common = [Math.max(range[0], own[0]), Math.min(range[1], own[1])] as const;
    const isLevel = common[0] <= common[1];
    row = isLevel ? [...row, bend] : [bend];
    range = isLevel ? common : own;
    const mean = row.reduce((sum, { centre }) => sum + centre, 0) / row.length;
    for (const each of row) each.centre = nearest(mean, range);
  }
}

/** Where the middle of a spot may be between those beside it. */
function rangeOf(layers: readonly (readonly GraphSpot[])[], spot: GraphSpot): Range {
  const [above, below] = [-1, 1].map((step) => layers[spot.layer]?.[spot.index + step]);
  return [
    above === undefined ? -Infinity : above.centre + distance(above, spot),
    below === undefined ? Infinity : below.centre - distance(spot, below),
  ];
}

function nearest(wanted: number, [least, most]: Range): number {
  return Math.max(least, Math.min(most, wanted));
}
