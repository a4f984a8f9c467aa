/** A line of a drawing: `from` stands before `to`. */
export interface Link {
  readonly from: string;
  readonly to: string;
}

/** Which layer every node stands in: one more than the last of what comes before it. */
export interface Layers {
  readonly layerOf: ReadonlyMap<string, number>;
  /** Whether some links lead back; those were not counted. */
  readonly isCyclic: boolean;
}

/** Puts nodes into layers, in time linear in nodes and links. A circle is entered at its first node. */
export function layersOf(ids: readonly string[], links: readonly Link[]): Layers {
  const next = Map.groupBy(links, ({ from }) => from);
  const waitsFor = new Map(ids.map((id) => [id, 0]));
  for (const { to } of links) waitsFor.set(to, (waitsFor.get(to) ?? 0) + 1);
  const layerOf = new Map<string, number>();
  const reached = new Map<string, number>();
  const place = (first: string) => {
    const ready = new Set([first]);
    for (const id of ready) {
      const layer = reached.get(id) ?? 0;
      layerOf.set(id, layer);
      for (const { to } of next.get(id) ?? []) {
        if (layerOf.has(to)) continue;
        reached.set(to, Math.max(reached.get(to) ?? 0, layer + 1));
        const left = (waitsFor.get(to) ?? 0) - 1;
        waitsFor.set(to, left);
        if (left === 0) ready.add(to);
      }
    }
  };
  const roots = ids.filter((id) => waitsFor.get(id) === 0);
  for (const id of roots) place(id);
  const isCyclic = layerOf.size < ids.length;
  for (const id of ids) if (!layerOf.has(id)) place(id);
  return { layerOf, isCyclic };
}
