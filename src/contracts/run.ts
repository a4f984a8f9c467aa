import type { Budget } from "./budget.ts";

/** How a run can end (ENG-11). */
export type Outcome =
  | "completed"
  | "failed"
  | "rejected"
  | "cancelled"
  | "timed-out"
  | "limit-reached";

/** What a run's state is called wherever runs are listed. */
export const RUN_STATUSES = [
  "running",
  "waiting",
  "paused",
  "suspended",
  "completed",
  "failed",
  "rejected",
  "cancelled",
  "timed-out",
  "limit-reached",
] as const satisfies readonly ("running" | "waiting" | "paused" | "suspended" | Outcome)[];

/** One of the states of a run. */
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Bounds of a run; absent means none. */
export interface RunLimits {
  /** Running time, in ms. */
  readonly timeoutMs?: number;
  /** What the run may consume; see Budget for what happens at its limits. */
  readonly budget?: Budget;
}

/** Something that only a person can move on. */
export interface WaitingItem {
  readonly id: string;
  readonly kind: "approval" | "permission" | "question" | "pause";
  readonly text: string;
  readonly step?: string;
  readonly agent?: string;
  /** The child run that asks; absent when the run itself does. */
  readonly run?: string;
}

/** Why a process lets go of a run without ending it. */
export type SuspendReason = "interrupted" | "paused" | "waiting";

/** Exit code of `troupe run` and `resume` for an outcome. */
export const OUTCOME_EXIT_CODES: { readonly [outcome in Outcome]: number } = {
  completed: 0,
  failed: 1,
  rejected: 1,
  cancelled: 1,
  "timed-out": 5,
  "limit-reached": 5,
};
