import type { Link } from "./layers.ts";

/** Links that say something, and those that a longer way says already. */
export interface ReducedLinks {
  readonly kept: readonly Link[];
  readonly implied: readonly Link[];
}

const BITS = 32;

/** Leaves out links that a longer way implies. There must be no cycle; `layerOf` orders the nodes. */
export function reduceLinks(
  layerOf: ReadonlyMap<string, number>,
  links: readonly Link[],
): ReducedLinks {
  const ids = [...layerOf.keys()];
  const layer = (id: string) => layerOf.get(id) ?? 0;
  const indexes = new Map(ids.map((id, index) => [id, index]));
  const next = Map.groupBy(links, ({ from }) => from);
  const after = new Map<string, Uint32Array>();
  const kept = new Set<Link>();
  for (const id of ids.toSorted((left, right) => layer(right) - layer(left))) {
    const reached = new Uint32Array(Math.ceil(ids.length / BITS));
    const nearest = (next.get(id) ?? []).toSorted(
      (left, right) => layer(left.to) - layer(right.to),
    );
    for (const link of nearest) {
      const index = indexes.get(link.to) ?? 0;
      if (hasBit(reached, index)) continue;
      kept.add(link);
      setBit(reached, index);
      addAll(reached, after.get(link.to));
    }
    after.set(id, reached);
  }
  return {
    kept: links.filter((link) => kept.has(link)),
    implied: links.filter((link) => !kept.has(link)),
  };
}

function hasBit(bits: Uint32Array, index: number): boolean {
  return (((bits[index >>> 5] ?? 0) >>> (index % BITS)) & 1) === 1;
}

function setBit(bits: Uint32Array, index: number): void {
  bits[index >>> 5] = (bits[index >>> 5] ?? 0) | (1 << (index % BITS));
}

function addAll(bits: Uint32Array, more: Uint32Array | undefined): void {
  for (const [index, word] of more?.entries() ?? []) bits[index] = (bits[index] ?? 0) | word;
}
