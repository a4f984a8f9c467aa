import type { Budget } from "./budget.ts";

/** How a run can end (ENG-11). */
export const OUTCOMES = [
  "completed",
  "failed",
  "rejected",
  "cancelled",
  "timed-out",
  "limit-reached",
] as const;

/** One of the ways in which a run ends. */
export type Outcome = (typeof OUTCOMES)[number];

/** How the program of a run can end it; the other outcomes come from around it. */
export const PROGRAM_OUTCOMES = [
  "completed",
  "failed",
  "rejected",
  "limit-reached",
] as const satisfies readonly Outcome[];

/** What a run's state is called wherever runs are listed. */
export const RUN_STATUSES = ["running", "waiting", "paused", "suspended", ...OUTCOMES] as const;

/** One of the states of a run. */
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Bounds of a run; absent means none. */
export interface RunLimits {
  /** Running time, in ms. */
  readonly timeoutMs?: number;
  /** What the run may consume; see Budget for what happens at its limits. */
  readonly budget?: Budget;
  /**
   * Turns of one agent, or with one task, that may fail in a row where nothing else bounds how often they are repeated;
   * then the run ends as limit-reached, resumable. Absent in runs of versions that counted none.
   */
  readonly failures?: number;
}

/** Who may decide the approvals of a workflow: people, or a flag for all of them. Not stored with the run. */
export const APPROVAL_MODES = ["ask", "all", "none"] as const;

/** One of the ways to decide approvals. */
export type ApprovalMode = (typeof APPROVAL_MODES)[number];

/** What only a person can move on. */
export const WAITING_KINDS = ["approval", "permission", "question", "pause"] as const;

/** Something that only a person can move on. */
export interface WaitingItem {
  readonly id: string;
  readonly kind: (typeof WAITING_KINDS)[number];
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
