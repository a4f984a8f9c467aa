import type { RunHappening } from "../../app/run/away/happenings.ts";

/** What has become of a run since somebody looked. */
export type AwayGroup = "finished" | "failed" | "waiting" | "stopped" | "running" | "foreign";

/** The order in which they are told. */
export const AWAY_GROUPS = [
  "finished",
  "failed",
  "waiting",
  "stopped",
  "running",
  "foreign",
] as const satisfies readonly AwayGroup[];

/** The group of a run. `stopped`: nobody carries it out, and it waits for nobody's decision. `foreign`: somebody else made it. */
export function groupOf({ listing }: RunHappening): AwayGroup {
  const { outcome, needs, state, foreign } = listing;
  if (foreign !== null) return "foreign";
  if (outcome !== null) return outcome === "completed" ? "finished" : "failed";
  if (needs > 0) return "waiting";
  return state === "suspended" || state === "paused" ? "stopped" : "running";
}

/** The span that is told. */
export interface AwaySpan {
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly nowMs: number;
  /** Whether the person looked at its beginning. */
  readonly isLook: boolean;
}

/** Sums over all runs. */
export interface AwayTotals {
  readonly runs: number;
  readonly messages: number;
  readonly files: number;
  /** Null when nothing is known. */
  readonly costUsd: number | null;
}

/** Sums over runs; a file that two runs changed counts once. */
export function totalsOf(runs: readonly RunHappening[]): AwayTotals {
  const costs = runs.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    runs: runs.length,
    messages: runs.reduce((sum, { messages }) => sum + messages, 0),
    files: new Set(runs.flatMap(({ files }) => [...files])).size,
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  };
}
