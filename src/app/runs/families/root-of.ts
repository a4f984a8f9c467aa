import type { RunStore } from "../../../contracts/ports/store.ts";
import { readHead } from "../run-heads.ts";

/** The run at the top of the tree that a run belongs to; itself when it is no child, or its parent is not here. */
export function rootOf(store: RunStore, run: string): string {
  const seen = new Set([run]);
  for (let current = run; ; ) {
    const parent = readHead(store, current)?.parent ?? null;
    // A head is data from a disk: whatever it says, this ends.
    if (parent === null || seen.has(parent) || readHead(store, parent) === undefined)
      return current;
    seen.add(parent);
    current = parent;
  }
}
