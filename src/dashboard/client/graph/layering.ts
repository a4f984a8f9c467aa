/** A node of a graph and the nodes before it; names that are not in the graph are ignored. */
export interface LayeredNode {
  readonly id: string;
  readonly after: readonly string[];
}

/** An edge that leads from one layer to a later one; `isBack` is drawn against its direction. */
export interface LayeredEdge {
  readonly from: string;
  readonly to: string;
  readonly isBack: boolean;
  /** Places in the layers between its ends, in the order of the layers. */
  readonly bends: readonly string[];
}

/** Nodes in layers, so that all edges but those back lead to a later layer. */
export interface Layering {
  /** Ids of nodes and bends per layer, in an order with few crossings. */
  readonly layers: readonly (readonly string[])[];
  readonly edges: readonly LayeredEdge[];
  /** Neighbours in the layers beside, of nodes and bends. */
  readonly neighbours: ReadonlyMap<string, readonly string[]>;
}

// Long edges of huge graphs are drawn straight: their bends would be most of the work.
const MAX_BENDS = 4000;
const SWEEPS = 6;

/** Puts the nodes of a graph into layers; cycles are cut where they come back. Deterministic. */
export function layerGraph(nodes: readonly LayeredNode[]): Layering {
  const known = new Set(nodes.map(({ id }) => id));
  const after = new Map(
    nodes.map((node) => [node.id, [...new Set(node.after)].filter((id) => known.has(id))]),
  );
  const back = findBackEdges(nodes, after);
  const isForward = (from: string, to: string) => !back.has(edgeKey(from, to));
  const ranks = rankNodes(nodes, (id) =>
    (after.get(id) ?? []).filter((from) => isForward(from, id)),
  );
  const layers: string[][] = [];
  const put = (id: string, rank: number) => {
    for (let index = layers.length; index <= rank; index += 1) layers.push([]);
    layers[rank]?.push(id);
  };
  for (const { id } of nodes) put(id, ranks.get(id) ?? 0);
  const edges = addBends(after, { ranks, isForward, put });
  const neighbours = findNeighbours(edges);
  return { layers: untangle(layers, neighbours), edges, neighbours };
}

function edgeKey(from: string, to: string): string {
  return `${from}\n${to}`;
}

/** The edges that close a cycle, found by a walk in the order of the list; on a stack of its own, as graphs may be deep. */
function findBackEdges(
  nodes: readonly LayeredNode[],
  after: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const back = new Set<string>();
  const status = new Map<string, "open" | "done">();
  for (const { id } of nodes) {
    const stack = status.has(id) ? [] : [{ id, next: 0 }];
    if (stack.length > 0) status.set(id, "open");
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const before = after.get(top.id)?.[top.next];
      top.next += 1;
      if (before === undefined) {
        status.set(top.id, "done");
        stack.pop();
      } else if (status.get(before) === "open") back.add(edgeKey(before, top.id));
      else if (!status.has(before)) {
        status.set(before, "open");
        stack.push({ id: before, next: 0 });
      }
    }
  }
  return back;
}

/** Longest path to each node. */
function rankNodes(
  nodes: readonly LayeredNode[],
  before: (id: string) => readonly string[],
): ReadonlyMap<string, number> {
  const leadsTo = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  const open = new Map<string, number>();
  for (const { id } of nodes) {
    const sources = before(id);
    open.set(id, sources.length);
    for (const source of sources) leadsTo.get(source)?.push(id);
  }
  const ranks = new Map<string, number>();
  const ready = nodes.flatMap(({ id }) => (open.get(id) === 0 ? [id] : []));
  for (const id of ready) {
    const rank = ranks.get(id) ?? 0;
    ranks.set(id, rank);
    for (const next of leadsTo.get(id) ?? []) {
      ranks.set(next, Math.max(ranks.get(next) ?? 0, rank + 1));
      const left = (open.get(next) ?? 0) - 1;
      open.set(next, left);
      if (left === 0) ready.push(next);
    }
  }
  return ranks;
}

interface Bending {
  readonly ranks: ReadonlyMap<string, number>;
  isForward(from: string, to: string): boolean;
  put(id: string, rank: number): void;
}

function addBends(
  after: ReadonlyMap<string, readonly string[]>,
  { ranks, isForward, put }: Bending,
): readonly LayeredEdge[] {
  let bendCount = 0;
  return [...after].flatMap(([to, sources]) =>
    sources.map((from) => {
      const isBack = !isForward(from, to);
      const [first, last] = isBack ? [to, from] : [from, to];
      const bends: string[] = [];
      const end = ranks.get(last) ?? 0;
      for (let rank = (ranks.get(first) ?? 0) + 1; rank < end; rank += 1) {
        if (bendCount >= MAX_BENDS) break;
        bendCount += 1;
        const id = `\n${bendCount}`;
        bends.push(id);
        put(id, rank);
      }
      return { from, to, isBack, bends };
    }),
  );
}

function findNeighbours(edges: readonly LayeredEdge[]): ReadonlyMap<string, readonly string[]> {
  const neighbours = new Map<string, string[]>();
  const link = (id: string, other: string) => {
    const list = neighbours.get(id);
    if (list === undefined) neighbours.set(id, [other]);
    else list.push(other);
  };
  for (const { from, to, isBack, bends } of edges) {
    const path = isBack ? [to, ...bends, from] : [from, ...bends, to];
    for (const [index, id] of path.slice(1).entries()) {
      const previous = path[index] ?? id;
      link(id, previous);
      link(previous, id);
    }
  }
  return neighbours;
}

/** Sorts each layer by the mean place of what it is linked to, to and fro, so that few edges cross. */
function untangle(
  layers: readonly (readonly string[])[],
  neighbours: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[])[] {
  const sorted = layers.map((layer) => [...layer]);
  const places = new Map<string, number>();
  const settle = (layer: readonly string[]) => {
    for (const [index, id] of layer.entries()) places.set(id, (index + 0.5) / layer.length);
  };
  for (const layer of sorted) settle(layer);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const order = sweep % 2 === 0 ? sorted : sorted.toReversed();
    for (const layer of order) {
      const wanted = new Map(layer.map((id) => [id, meanPlace(id, places, neighbours)]));
      layer.sort((left, right) => (wanted.get(left) ?? 0) - (wanted.get(right) ?? 0));
      settle(layer);
    }
  }
  return sorted;
}

function meanPlace(
  id: string,
  places: ReadonlyMap<string, number>,
  neighbours: ReadonlyMap<string, readonly string[]>,
): number {
  const linked = neighbours.get(id) ?? [];
  if (linked.length === 0) return places.get(id) ?? 0;
  return linked.reduce((sum, other) => sum + (places.get(other) ?? 0), 0) / linked.length;
}
