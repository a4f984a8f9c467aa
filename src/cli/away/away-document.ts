import type { RunHappening } from "../../app/run/away/happenings.ts";
import { stepReport } from "../../fold/failed-output.ts";
import { resultOutput } from "../../fold/result-output.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import { type RunEntry, toRunEntry } from "../runs/run-entry.ts";
import {
  type AwayGroup,
  type AwaySpan,
  type AwayTotals,
  groupOf,
  totalsOf,
} from "./away-groups.ts";

/** What `away --json` prints. */
export interface AwayDocument {
  readonly v: 1;
  /** ISO times. */
  readonly since: string;
  readonly until: string;
  readonly runs: readonly AwayEntry[];
  readonly totals: AwayTotals;
}

interface AwayEntry extends RunEntry {
  readonly group: AwayGroup;
  readonly messages: number;
  readonly files: readonly string[];
  readonly output: string | null;
  /** Of the step that failed last, else of the run. */
  readonly failure: Failure | null;
  readonly waitingFor: RunHappening["listing"]["waitingFor"];
}

/** Why a run failed. */
export interface Failure {
  readonly step: string | null;
  readonly attempts: number | null;
  readonly message: string;
}

/** The public form of what happened. */
export function toAwayDocument(
  runs: readonly RunHappening[],
  { sinceMs, nowMs }: AwaySpan,
): AwayDocument {
  return {
    v: 1,
    since: toIsoTime(sinceMs),
    until: toIsoTime(nowMs),
    runs: runs.map(toEntry),
    totals: totalsOf(runs),
  };
}

/** What a run that went wrong says of it; undefined for one that did not. */
export function failureIn({ state }: RunHappening): Failure | undefined {
  const { phase, steps } = state;
  if (phase.status !== "ended" || phase.outcome === "completed") return undefined;
  const failed = [...steps.byPath.values()].filter(({ status }) => status === "failed");
  const last = failed.sort((left, right) => left.seq - right.seq).at(-1);
  if (last?.status !== "failed")
    return { step: null, attempts: null, message: phase.error?.message ?? phase.reason };
  return { step: last.path, attempts: last.attempt, message: stepReport(state, last).message };
}

function toEntry(happening: RunHappening): AwayEntry {
  const { listing, state, messages, files } = happening;
  return {
    ...toRunEntry(listing),
    group: groupOf(happening),
    messages,
    files: [...files],
    output: listing.outcome === "completed" ? resultOutput(state) : null,
    failure: failureIn(happening) ?? null,
    waitingFor: listing.waitingFor,
  };
}
