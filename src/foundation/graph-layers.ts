/** A line of a graph: `from` stands before `to`. */
export interface Link {
  readonly from: string;
  readonly to: string;
}

/** Links in two parts. */
export interface CutLinks<Kind extends Link> {
  /** Without any circle, in their order. */
  readonly onward: readonly Kind[];
  /** Those that lead back to where a way has come from, in their order. */
  readonly back: readonly Kind[];
}

/** Tells the links that close circles from all others; ways begin at the first node. Linear in nodes and links. */
export function cutBackLinks<Kind extends Link>(
  ids: readonly string[],
  links: readonly Kind[],
): CutLinks<Kind> {
  const next = Map.groupBy(links, ({ from }) => from);
  const back = new Set<Kind>();
  const onWay = new Set<string>();
  const seen = new Set<string>();
  const begin = (first: string) => {
    const way = [walk(first)];
    for (let step = way.at(-1); step !== undefined; step = way.at(-1)) {
      const link = step.left.next();
      if (link.done === true) {
        onWay.delete(step.id);
        way.pop();
      } else if (onWay.has(link.value.to)) back.add(link.value);
      else if (!seen.has(link.value.to)) way.push(walk(link.value.to));
    }
  };
  const walk = (id: string) => {
    seen.add(id);
    onWay.add(id);
    return { id, left: (next.get(id) ?? []).values() };
  };
  for (const id of ids) if (!seen.has(id)) begin(id);
  return {
    onward: links.filter((link) => !back.has(link)),
    back: links.filter((link) => back.has(link)),
  };
}

/** The layer of every node: one more than the last of what comes before it. Linear; links must close no circle. */
export function layersOf(
  ids: readonly string[],
  links: readonly Link[],
): ReadonlyMap<string, number> {
  const layerOf = new Map(ids.map((id) => [id, 0]));
  const known = links.filter(({ from, to }) => layerOf.has(from) && layerOf.has(to));
  const next = Map.groupBy(known, ({ from }) => from);
  const waitsFor = new Map<string, number>();
  for (const { to } of known) waitsFor.set(to, (waitsFor.get(to) ?? 0) + 1);
  const ready = ids.filter((id) => !waitsFor.has(id));
  for (const id of ready) {
    const after = (layerOf.get(id) ?? 0) + 1;
    for (const { to } of next.get(id) ?? []) {
      layerOf.set(to, Math.max(layerOf.get(to) ?? 0, after));
      const left = (waitsFor.get(to) ?? 0) - 1;
      waitsFor.set(to, left);
      if (left === 0) ready.push(to);
    }
  }
  return layerOf;
}

/** What has a place in its layer, counted from 0. */
export interface InLayer {
  index: number;
}

/** Leads from an item of one layer to an item of the next. */
export interface LayerWire<Item extends InLayer> {
  readonly from: Item;
  readonly to: Item;
}

/** Orders wires as they leave their sources, from the top down. */
export function compareWires(left: LayerWire<InLayer>, right: LayerWire<InLayer>): number {
  return left.from.index - right.from.index || left.to.index - right.to.index;
}

const SWEEPS = 8;

/**
 * Orders the items of every layer so that few wires cross, and says how many still do. `channels[0]` leads from the
 * first layer to the second. The order given is kept where nothing speaks against it.
 */
export function orderLayers<Item extends InLayer>(
  layers: readonly Item[][],
  channels: readonly (readonly LayerWire<Item>[])[],
): number {
  const [before, after] = neighboursOf(channels);
  let best = layers.map((layer) => [...layer]);
  let least = countCrossings(layers, channels);
  for (let sweep = 0; sweep < SWEEPS && least > 0; sweep += 1) {
    if (sweep % 2 === 0) for (const layer of layers.slice(1)) reorder(layer, before);
    else for (const layer of layers.slice(0, -1).reverse()) reorder(layer, after);
    const crossings = countCrossings(layers, channels);
    if (crossings >= least) continue;
    least = crossings;
    best = layers.map((layer) => [...layer]);
  }
  for (const [index, layer] of layers.entries()) arrange(layer, best[index] ?? []);
  return least;
}

/** What wires join with an item in one of the layers beside it. */
export type LayerNeighbours<Item> = ReadonlyMap<Item, readonly Item[]>;

/** What stands before each item, and what after it. */
export function neighboursOf<Item extends InLayer>(
  channels: readonly (readonly LayerWire<Item>[])[],
): readonly [before: LayerNeighbours<Item>, after: LayerNeighbours<Item>] {
  const wires = channels.flat();
  const [before, after] = [
    Map.groupBy(wires, ({ to }) => to),
    Map.groupBy(wires, ({ from }) => from),
  ];
  return [
    new Map([...before].map(([item, own]) => [item, own.map(({ from }) => from)])),
    new Map([...after].map(([item, own]) => [item, own.map(({ to }) => to)])),
  ];
}

/** Each item goes where its neighbours are on average; those without any stay where they are. */
function reorder<Item extends InLayer>(layer: Item[], neighbours: LayerNeighbours<Item>): void {
  const wanted = new Map(
    layer.map((item) => [item, meanIndex(neighbours.get(item)) ?? item.index]),
  );
  arrange(
    layer,
    layer.toSorted((left, right) => (wanted.get(left) ?? 0) - (wanted.get(right) ?? 0)),
  );
}

function arrange<Item extends InLayer>(layer: Item[], items: readonly Item[]): void {
  for (const [index, item] of items.entries()) {
    layer[index] = item;
    item.index = index;
  }
}

function meanIndex(items: readonly InLayer[] | undefined): number | undefined {
  if (items === undefined) return undefined;
  return items.reduce((sum, { index }) => sum + index, 0) / items.length;
}

function countCrossings<Item extends InLayer>(
  layers: readonly (readonly Item[])[],
  channels: readonly (readonly LayerWire<Item>[])[],
): number {
  return channels.reduce((sum, channel, index) => {
    return sum + crossingsOf(channel, layers[index + 1]?.length ?? 0);
  }, 0);
}

/** Two wires cross when the one that leaves further up arrives further down; counted in a tree of sums. */
function crossingsOf(channel: readonly LayerWire<InLayer>[], targetCount: number): number {
  const sums = new Uint32Array(targetCount + 1);
  const sorted = channel.toSorted(compareWires);
  let crossings = 0;
  for (const [passed, { to }] of sorted.entries()) {
    let above = 0;
    for (let at = to.index + 1; at > 0; at -= at & -at) above += sums[at] ?? 0;
    crossings += passed - above;
    for (let at = to.index + 1; at <= targetCount; at += at & -at) sums[at] = (sums[at] ?? 0) + 1;
  }
  return crossings;
}
