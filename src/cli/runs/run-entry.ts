import type { RunListing } from "../../app/runs/run-heads.ts";
import type { Outcome, RunStatus } from "../../contracts/run.ts";
import { present } from "../../foundation/present.ts";

/** A run as `runs --json` and `show --json` print it. */
export interface RunEntry {
  readonly id: string;
  readonly workflow: string;
  readonly instance: string;
  readonly state: RunStatus;
  readonly outcome: Outcome | null;
  /** ISO times. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly steps: { readonly done: number; readonly total: number };
  readonly agents: number;
  readonly costUsd: number | null;
  /** Part of the cost that a price table tells; absent when that is nothing. */
  readonly estimatedUsd?: number;
  /** Turns whose cost is not known and not in `costUsd`; absent without any. */
  readonly unpricedTurns?: number;
  /** The limits of the run and what is used of them; absent without any. */
  readonly budget?: NonNullable<RunListing["budget"]>;
  readonly needs: number;
  /** The run that started it as its child; absent for others. */
  readonly parent?: string;
  /** The run of which it is a fork, and the last event that they share; absent for others. */
  readonly forkedFrom?: { readonly run: string; readonly seq: number };
  /** The schedule that started it, and for which of its times (ISO); absent for others. */
  readonly schedule?: { readonly name: string; readonly due: string };
  /** Why it is not this user's own; absent for one that is. */
  readonly foreign?: string;
}

/** The public form of a run in a listing. */
export function toRunEntry(listing: RunListing): RunEntry {
  const { run, workflow, instance, state, outcome, startedAt, endedAt } = listing;
  const {
    steps,
    agents,
    costUsd,
    estimatedUsd,
    unpricedTurns,
    budget,
    needs,
    forkedFrom,
    schedule,
  } = listing;
  return {
    id: run,
    ...{ workflow, instance, state, outcome, startedAt, endedAt },
    ...{ steps, agents, costUsd, needs },
    ...present({ estimatedUsd, unpricedTurns, budget }),
    ...(listing.parent === null ? {} : { parent: listing.parent }),
    ...present({ forkedFrom, schedule }),
    ...(listing.foreign === null ? {} : { foreign: listing.foreign }),
  };
}
