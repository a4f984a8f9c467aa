import type { Link } from "../layers.ts";

/** A part of a graph that nothing joins to the rest. */
export interface Component {
  readonly ids: readonly string[];
  readonly links: readonly Link[];
}

/** The parts of a graph, by their first node, each with its nodes in their order. */
export function componentsOf(ids: readonly string[], links: readonly Link[]): readonly Component[] {
  const neighbours = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { from, to } of links) {
    neighbours.get(from)?.push(to);
    neighbours.get(to)?.push(from);
  }
  const firstOf = new Map<string, string>();
  for (const id of ids) {
    if (firstOf.has(id)) continue;
    const found = new Set([id]);
    for (const member of found) {
      firstOf.set(member, id);
      for (const other of neighbours.get(member) ?? []) found.add(other);
    }
  }
  const linksOf = Map.groupBy(links, ({ from }) => firstOf.get(from));
  return [...Map.groupBy(ids, (id) => firstOf.get(id))].map(([first, members]) => {
    return { ids: members, links: linksOf.get(first) ?? [] };
  });
}
