/** A line of a graph: `from` stands before `to`. */
export interface Link {
  readonly from: string;
  readonly to: string;
}

/**
 * Tells the links that lead back to where a way has come from, and so close circles, from all others; both stay in their
 * order. Ways begin at the first node. Linear in nodes and links.
 */
export function cutBackLinks<Kind extends Link>(
  ids: readonly string[],
  links: readonly Kind[],
): { readonly onward: readonly Kind[]; readonly back: readonly Kind[] } {
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
  const arriving = Map.groupBy(channels.flat(), ({ to }) => to);
  const leaving = Map.groupBy(channels.flat(), ({ from }) => from);
  let best = layers.map((layer) => [...layer]);
  const count = () => channels.reduce((sum, channel) => sum + crossingsOf(channel), 0);
  let least = count();
  for (let sweep = 0; sweep < SWEEPS && least > 0; sweep += 1) {
    const isForward = sweep % 2 === 0;
    for (const layer of isForward ? layers : layers.toReversed())
      arrange(layer, inOrder(layer, isForward ? arriving : leaving, isForward ? "from" : "to"));
    const crossings = count();
    if (crossings >= least) continue;
    least = crossings;
    best = layers.map((layer) => [...layer]);
  }
  for (const [index, layer] of layers.entries()) arrange(layer, best[index] ?? []);
  return least;
}

/** Each item goes where its neighbours are on average; those without any stay where they are. */
function inOrder<Item extends InLayer>(
  layer: readonly Item[],
  wiresOf: ReadonlyMap<Item, readonly LayerWire<Item>[]>,
  end: "from" | "to",
): readonly Item[] {
  const wanted = layer.map((item) => {
    const wires = wiresOf.get(item);
    const sum = wires?.reduce((total, wire) => total + wire[end].index, 0) ?? item.index;
    return { item, index: sum / (wires?.length ?? 1) };
  });
  return wanted.sort((left, right) => left.index - right.index).map(({ item }) => item);
}

function arrange<Item extends InLayer>(layer: Item[], items: readonly Item[]): void {
  for (const [index, item] of items.entries()) {
    layer[index] = item;
    item.index = index;
  }
}

/** Two wires cross when the one that leaves further up arrives further down; counted in a tree of sums. */
function crossingsOf(channel: readonly LayerWire<InLayer>[]): number {
  const targetCount = 1 + channel.reduce((most, { to }) => Math.max(most, to.index), -1);
  const sums = new Uint32Array(targetCount + 1);
  let crossings = 0;
  for (const [passed, { to }] of channel.toSorted(compareWires).entries()) {
    let above = 0;
    for (let at = to.index + 1; at > 0; at -= at & -at) above += sums[at] ?? 0;
    crossings += passed - above;
    for (let at = to.index + 1; at <= targetCount; at += at & -at) sums[at] = (sums[at] ?? 0) + 1;
  }
  return crossings;
}
