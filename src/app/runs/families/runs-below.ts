import type { RunStore } from "../../../contracts/ports/store.ts";
import { readHead } from "../run-heads.ts";

/** The ids of all runs below a run, parents before their children. */
export function runsBelow(store: RunStore, run: string): readonly string[] {
  const children = Map.groupBy(
    store.list().toReversed(),
    (id) => readHead(store, id)?.parent ?? null,
  );
  const found: string[] = [];
  const seen = new Set([run]);
  const add = (parent: string) => {
    for (const child of children.get(parent) ?? []) {
      if (seen.has(child)) continue;
      seen.add(child);
      found.push(child);
      add(child);
    }
  };
  add(run);
  return found;
}
