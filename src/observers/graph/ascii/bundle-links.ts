import type { Link } from "../layers.ts";

/** Links of which many-to-many ones meet in a point of their own: `a, b -> junction -> c, d`. */
export interface BundledLinks {
  readonly links: readonly Link[];
  readonly junctions: readonly string[];
}

/** Lets nodes with the same successors, then nodes with the same predecessors, share one point. */
export function bundleLinks(links: readonly Link[]): BundledLinks {
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
