import {
  cutBackLinks,
  type LayerNeighbours,
  type LayerWire,
  type Link,
  layersOf,
  neighboursOf,
  orderLayers,
} from "./graph-layers.ts";

/** A node that is to be placed; lengths in px. */
export interface SizedNode {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

/** A node, or the bend of a long line where it passes a layer. Layers are columns here. */
export interface GraphSpot {
  readonly id: string;
  readonly isBend: boolean;
  readonly layer: number;
  readonly width: number;
  /** With room for links to itself. */
  readonly height: number;
  /** Place in its layer, from 0. */
  index: number;
  /** The middle in y. */
  centre: number;
}

/** The spots that a link joins, from the earlier layer to the later one; a link to its own node has only that. */
export interface SpotPath<Kind extends Link> {
  readonly link: Kind;
  readonly isBack: boolean;
  readonly spots: readonly GraphSpot[];
}

/** Spots in their layers and orders, and what joins them. */
export interface PlacedSpots<Kind extends Link> {
  readonly layers: readonly (readonly GraphSpot[])[];
  /** In the order of the links. */
  readonly paths: readonly SpotPath<Kind>[];
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

/** Gives nodes and the bends of long links their layers, orders and heights. Both ends of a link are nodes. */
export function placeSpots<Kind extends Link>(
  nodes: readonly SizedNode[],
  links: readonly Kind[],
): PlacedSpots<Kind> {
  const layers: GraphSpot[][] = [];
  const put = (spot: Omit<GraphSpot, "index" | "centre">): GraphSpot => {
    for (let count = layers.length; count <= spot.layer; count += 1) layers.push([]);
    const layer = layers[spot.layer] ?? [];
    const placed = { ...spot, index: layer.length, centre: 0 };
    layer.push(placed);
    return placed;
  };
  const ids = nodes.map(({ id }) => id);
  const { onward, back } = cutBackLinks(ids, links);
  const layerOf = withoutLongLeads(layersOf(ids, onward), onward);
  const looped = new Set(links.flatMap(({ from, to }) => (from === to ? [from] : [])));
  const spots = new Map<string, GraphSpot>();
  for (const { id, width, height } of nodes) {
    const room = looped.has(id) ? 2 * LOOP_SIZE : 0;
    const layer = layerOf.get(id) ?? 0;
    spots.set(id, put({ id, isBend: false, layer, width, height: height + room }));
  }
  const paths = pathsOf(links, { isBack: new Set<Link>(back), spots, put });
  const channels = channelsOf(layers, paths);
  orderLayers(layers, channels);
  alignLayers(layers, paths, neighboursOf(channels));
  return { layers, paths };
}

/** What begins a way of its own stands right before what the way joins, not at the start of the whole graph. */
function withoutLongLeads(
  layerOf: ReadonlyMap<string, number>,
  onward: readonly Link[],
): ReadonlyMap<string, number> {
  const before = Map.groupBy(onward, ({ to }) => to);
  const next = Map.groupBy(onward, ({ from }) => from);
  const moved = new Map(layerOf);
  const isLead = new Set<string>();
  const rising = [...layerOf].sort(([, left], [, right]) => left - right).map(([id]) => id);
  for (const id of rising) {
    const sources = before.get(id) ?? [];
    if (sources.length > 1) continue;
    if (sources.every(({ from }) => isLead.has(from) && next.get(from)?.length === 1))
      isLead.add(id);
  }
  for (const id of rising.reverse()) {
    const targets = next.get(id) ?? [];
    if (!isLead.has(id) || targets.length === 0) continue;
    moved.set(id, Math.min(...targets.map(({ to }) => moved.get(to) ?? 0)) - 1);
  }
  return moved;
}

interface Surroundings {
  readonly isBack: ReadonlySet<Link>;
  readonly spots: ReadonlyMap<string, GraphSpot>;
  put(spot: Omit<GraphSpot, "index" | "centre">): GraphSpot;
}

function pathsOf<Kind extends Link>(
  links: readonly Kind[],
  { isBack, spots, put }: Surroundings,
): readonly SpotPath<Kind>[] {
  let bendsLeft = MAX_BENDS;
  return links.map((link) => {
    const ends = [link.from, link.to].flatMap((id) => spots.get(id) ?? []);
    const [first, last] = isBack.has(link) ? ends.reverse() : ends;
    if (first === undefined || last === undefined || first === last)
      return { link, isBack: true, spots: ends.slice(0, 1) };
    const bends: GraphSpot[] = [];
    const needed = last.layer - first.layer - 1;
    if (needed <= bendsLeft) {
      bendsLeft -= needed;
      for (let layer = first.layer + 1; layer < last.layer; layer += 1)
        bends.push(put({ id: "", isBend: true, layer, width: 0, height: BEND_SIZE }));
    }
    return { link, isBack: isBack.has(link), spots: [first, ...bends, last] };
  });
}

function channelsOf(
  layers: readonly unknown[],
  paths: readonly SpotPath<Link>[],
): readonly (readonly LayerWire<GraphSpot>[])[] {
  const channels = layers.slice(1).map((): LayerWire<GraphSpot>[] => []);
  for (const { spots } of paths)
    for (const [index, to] of spots.slice(1).entries()) {
      const from = spots[index];
      // Long lines that are drawn straight join no layers that stand beside each other.
      if (from?.layer === to.layer - 1) channels[from.layer]?.push({ from, to });
    }
  return channels;
}

/** Gives each spot its middle: near its neighbours, in the order of its layer. */
function alignLayers(
  layers: readonly (readonly GraphSpot[])[],
  paths: readonly SpotPath<Link>[],
  [before, after]: readonly LayerNeighbours<GraphSpot>[],
): void {
  const spots = layers.flat();
  const neighbours = new Map(
    spots.map((spot) => [spot, [...(before?.get(spot) ?? []), ...(after?.get(spot) ?? [])]]),
  );
  const wanted = (spot: GraphSpot): number => {
    let [sum, total] = [0, 0];
    for (const other of neighbours.get(spot) ?? []) {
      const weight = spot.isBend && other.isBend ? BEND_PULL : 1;
      sum += weight * other.centre;
      total += weight;
    }
    return total === 0 ? spot.centre : sum / total;
  };
  for (const layer of layers) placeLayer(layer, () => 0);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1)
    for (const layer of sweep % 2 === 0 ? layers : layers.toReversed()) placeLayer(layer, wanted);
  straighten(layers, paths);
  for (const spot of spots) {
    const [only, ...others] = neighbours.get(spot) ?? [];
    if (only !== undefined && others.length === 0 && !only.isBend)
      spot.centre = nearest(only.centre, rangeOf(spot, layers));
  }
  const least = spots.reduce(
    (top, { centre, height }) => Math.min(top, centre - height / 2),
    Infinity,
  );
  // Whole pixels at the upper border: at the middle they would push odd heights out of the drawing.
  for (const spot of spots)
    spot.centre = Math.round(spot.centre - spot.height / 2 - least) + spot.height / 2;
}

/** Lets the bends of a line stand level, as many in a row as have room for that. */
function straighten(
  layers: readonly (readonly GraphSpot[])[],
  paths: readonly SpotPath<Link>[],
): void {
  for (const { spots } of paths) {
    let [level, range]: [GraphSpot[], Range] = [[], EVERYWHERE];
    for (const bend of spots.filter(({ isBend }) => isBend)) {
      const own = rangeOf(bend, layers);
      const common = {
        least: Math.max(range.least, own.least),
        most: Math.min(range.most, own.most),
      };
      const isLevel = common.least <= common.most;
      level = isLevel ? [...level, bend] : [bend];
      range = isLevel ? common : own;
      const mean = level.reduce((sum, { centre }) => sum + centre, 0) / level.length;
      for (const each of level) each.centre = nearest(mean, range);
    }
  }
}

interface Range {
  readonly least: number;
  readonly most: number;
}

const EVERYWHERE: Range = { least: -Infinity, most: Infinity };

/** Where the middle of a spot may be between those beside it. */
function rangeOf(
  { layer, index, height }: GraphSpot,
  layers: readonly (readonly GraphSpot[])[],
): Range {
  const [above, below] = [layers[layer]?.[index - 1], layers[layer]?.[index + 1]];
  const distance = (other: GraphSpot) => (other.height + height) / 2 + NODE_GAP;
  return {
    least: above === undefined ? -Infinity : above.centre + distance(above),
    most: below === undefined ? Infinity : below.centre - distance(below),
  };
}

function nearest(wanted: number, { least, most }: Range): number {
  return Math.max(least, Math.min(most, wanted));
}

function placeLayer(layer: readonly GraphSpot[], wanted: (spot: GraphSpot) => number): void {
  const offsets: number[] = [];
  let offset = 0;
  for (const [index, { height }] of layer.entries()) {
    const previous = layer[index - 1];
    if (previous !== undefined) offset += (previous.height + height) / 2 + NODE_GAP;
    offsets.push(offset);
  }
  const placed = keepOrder(layer.map((spot, index) => wanted(spot) - (offsets[index] ?? 0)));
  for (const [index, spot] of layer.entries())
    spot.centre = (placed[index] ?? 0) + (offsets[index] ?? 0);
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
