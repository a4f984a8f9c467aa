import type { Link } from "./layers.ts";

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
