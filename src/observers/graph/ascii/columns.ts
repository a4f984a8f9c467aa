import type { Link } from "../../../foundation/graph-layers.ts";

/** Something that takes a place in a column: a node, a point where lines meet, or a line that passes. */
export interface Box {
  readonly kind: "node" | "junction" | "pass";
  /** The id of a node. */
  readonly id: string;
  /** Place in its column, from 0. */
  index: number;
  row: number;
}

/** A line from a box of one column to a box of the next. */
export interface Wire {
  readonly from: Box;
  readonly to: Box;
  row: number;
}

/** Columns of boxes, and the wires from each column to the next. */
export interface Columns {
  readonly boxes: readonly Box[][];
  readonly channels: readonly Wire[][];
}

/** Lays the nodes of a graph without cycles out in columns, by layer, in the order of `layerOf`. */
export function toColumns(layerOf: ReadonlyMap<string, number>, given: readonly Link[]): Columns {
  const { links, junctions } = bundleLinks(given);
  const places = placesOf(layerOf, { links, junctions });
  const known = new Map<string, Box>();
  const boxes: Box[][] = Array.from({ length: places.count }, () => []);
  const channels: Wire[][] = Array.from({ length: Math.max(0, places.count - 1) }, () => []);
  const add = (kind: Box["kind"], id: string, place: number): Box => {
    const column = boxes[place] ?? [];
    const box = { kind, id, index: column.length, row: 0 };
    column.push(box);
    return box;
  };
  for (const id of layerOf.keys()) known.set(id, add("node", id, places.of(id)));
  for (const id of junctions) known.set(id, add("junction", id, places.of(id)));
  for (const { from, to } of links) {
    let last = known.get(from);
    for (let place = places.of(from) + 1; place <= places.of(to); place += 1) {
      const box = place === places.of(to) ? known.get(to) : add("pass", "", place);
      if (last !== undefined && box !== undefined)
        channels[place - 1]?.push({ from: last, to: box, row: 0 });
      last = box;
    }
  }
  return { boxes, channels };
}

interface Places {
  readonly count: number;
  of(id: string): number;
}

// A junction of what shares its successors may lead to one of what shares its predecessors, never further.
const PLACES_PER_LAYER = 3;

/** Junctions stand between the layers, in columns that exist only where one is needed. */
function placesOf(
  layerOf: ReadonlyMap<string, number>,
  { links, junctions }: { readonly links: readonly Link[]; readonly junctions: readonly string[] },
): Places {
  const spots = new Map([...layerOf].map(([id, layer]) => [id, layer * PLACES_PER_LAYER]));
  const before = Map.groupBy(links, ({ to }) => to);
  // Junctions come in the order in which links can lead from one to another.
  for (const id of junctions)
    spots.set(id, 1 + Math.max(...(before.get(id) ?? []).map(({ from }) => spots.get(from) ?? 0)));
  const used = [...new Set(spots.values())].sort((left, right) => left - right);
  const places = new Map(used.map((spot, place) => [spot, place]));
  return { count: used.length, of: (id) => places.get(spots.get(id) ?? 0) ?? 0 };
}

/** Lets nodes with the same successors, then nodes with the same predecessors, share one point: `a, b -> junction -> c, d`. */
function bundleLinks(links: readonly Link[]): {
  readonly links: readonly Link[];
  readonly junctions: readonly string[];
} {
  const junctions: string[] = [];
  const newJunction = () => {
    // A space is in no id, so that this is nobody else's.
    const id = `junction ${junctions.length}`;
    junctions.push(id);
    return id;
  };
  const bySources = bundle(links, newJunction);
  const byTargets = bundle(bySources.map(turned), newJunction).map(turned);
  return { links: byTargets, junctions };
}

function bundle(links: readonly Link[], newJunction: () => string): readonly Link[] {
  const targetsOf = Map.groupBy(links, ({ from }) => from);
  const alike = Map.groupBy([...targetsOf], ([, own]) =>
    own
      .map(({ to }) => to)
      .sort()
      .join(","),
  );
  return [...alike.values()].flatMap((group) => {
    const [[, own] = ["", []]] = group;
    if (group.length < 2 || own.length < 2) return group.flatMap(([, each]) => each);
    const junction = newJunction();
    return [
      ...group.map(([from]) => ({ from, to: junction })),
      ...own.map(({ to }) => ({ from: junction, to })),
    ];
  });
}

function turned({ from, to }: Link): Link {
  return { from: to, to: from };
}
