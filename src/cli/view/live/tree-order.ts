import type { PlannedRow } from "./live-model.ts";
import type { LiveRow, PlacedRow } from "./live-row.ts";
import type { Signs } from "./signs.ts";

// Deeper trees are drawn no further to the right: the names would have no room.
const MAX_LEAD_COLUMNS = 12;

interface Lead {
  /** In front of the first row of a branch. */
  readonly first: string;
  /** In front of what follows it. */
  readonly rest: string;
}

/**
 * Rows by what depends on what: each step below the first one that it waits for, a straight line of steps
 * without going deeper, what is asked for in front of its step, and at the end whatever belongs to no step.
 */
export function treeOrder(
  rows: readonly LiveRow[],
  plan: readonly PlannedRow[],
  signs: Signs,
): readonly PlacedRow[] {
  const byPath = Map.groupBy(rows, ({ path = "" }) => path);
  const children = childrenOf(rows, plan);
  const placed: PlacedRow[] = [];
  const seen = new Set<string>();
  const visit = (path: string, { first, rest }: Lead) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const [index, row] of (byPath.get(path) ?? []).entries())
      placed.push({ ...row, lead: index === 0 ? first : rest });
    // What is inside of a step stands before what comes after it.
    const below = (children.get(path) ?? []).toSorted(
      (left, right) => Number(isInside(right, path)) - Number(isInside(left, path)),
    );
    for (const [index, child] of below.entries())
      visit(child, below.length === 1 ? { first: rest, rest } : branch(rest, below.length - index));
  };
  const branch = (rest: string, left: number): Lead => {
    if (rest.length >= MAX_LEAD_COLUMNS) return { first: rest, rest };
    return left === 1
      ? { first: rest + signs.lastBranch, rest: rest + signs.gap }
      : { first: rest + signs.branch, rest: rest + signs.trunk };
  };
  for (const root of children.get(undefined) ?? []) visit(root, { first: "", rest: "" });
  // What nothing leads to, and what is no step.
  for (const path of byPath.keys()) visit(path, { first: "", rest: "" });
  return placed;
}

function isInside(path: string, around: string): boolean {
  return path.startsWith(`${around}/`) || path.startsWith(`${around}[`);
}

/** Paths below each path; those without one above stand under undefined. */
function childrenOf(
  rows: readonly LiveRow[],
  plan: readonly PlannedRow[],
): ReadonlyMap<string | undefined, readonly string[]> {
  const planned = new Map(plan.map((step) => [step.id, step]));
  const paths = new Set(rows.flatMap(({ path }) => path ?? []));
  return Map.groupBy(paths, (path) => {
    const step = planned.get(path);
    if (step !== undefined) return step.dependsOn.find((id) => paths.has(id));
    // A step inside of another: `parallel-tests/unit`, `all-files[3]/check`.
    const above = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    return [above, above.replace(/\[\d+\]$/, "")].find((each) => paths.has(each));
  });
}
