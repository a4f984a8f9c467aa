import type { RunStore } from "../../../contracts/ports/store.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { type RunListing, readHead } from "../run-heads.ts";

/** A run in a listing of whole families. */
export type FamilyRun<Listing extends RunListing = RunListing> = Listing & {
  /** The run at the top of its tree; itself when it is no child. */
  readonly root: string;
  /** Levels above it. */
  readonly depth: number;
};

/**
 * The runs of a listing, newest first, each with those below it right behind it, oldest first. What a run needs and
 * costs includes all below it. A child whose parent is not in the listing stands by itself.
 */
export function inFamilies<Listing extends RunListing>(
  runs: readonly Listing[],
): readonly FamilyRun<Listing>[] {
  const ids = new Set(runs.map(({ run }) => run));
  const isChild = ({ parent }: Listing) => parent !== null && ids.has(parent);
  const below = Map.groupBy(runs.filter(isChild), ({ parent }) => parent);
  const family = (listing: Listing, depth: number, root: string): readonly FamilyRun<Listing>[] => {
    // Heads are data from a disk: one that names itself as its parent ends here.
    if (depth > runs.length) return [];
    const children = (below.get(listing.run) ?? [])
      .toReversed()
      .map((child) => family(child, depth + 1, root));
    const direct = children.flatMap(([child]) => (child === undefined ? [] : [child]));
    return [{ ...listing, ...sumOf(listing, direct), root, depth }, ...children.flat()];
  };
  return runs.filter((run) => !isChild(run)).flatMap((run) => family(run, 0, run.run));
}

type Sums = Partial<Pick<RunListing, "needs" | "costUsd" | "estimatedUsd" | "unpricedTurns">>;

function sumOf(own: RunListing, children: readonly RunListing[]): Sums {
  if (children.length === 0) return {};
  const all = [own, ...children];
  const known = all.flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]));
  const estimatedUsd = all.reduce((sum, each) => sum + (each.estimatedUsd ?? 0), 0);
  const unpricedTurns = all.reduce((sum, each) => sum + (each.unpricedTurns ?? 0), 0);
  // What its own summary says of its children may be older than theirs.
  const ownNeeds = own.needs - own.waitingFor.filter(({ run }) => run !== undefined).length;
  return {
    needs: children.reduce((sum, { needs }) => sum + needs, Math.max(0, ownNeeds)),
    costUsd: known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0),
    ...(estimatedUsd === 0 ? {} : { estimatedUsd }),
    ...(unpricedTurns === 0 ? {} : { unpricedTurns }),
  };
}

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

/** The ids of a run that was read and of all runs below it, parents before their children. */
export function familyOf(store: RunStore, { run: { id }, children }: RunState): readonly string[] {
  // A run names each child before there is one, so that most need not be looked for among all runs.
  return children.size === 0 ? [id] : [id, ...runsBelow(store, id)];
}

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
