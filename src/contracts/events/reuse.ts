import type { Json } from "../../foundation/json.ts";
import type { StepCompleted } from "./note-events.ts";

/** What identifies one execution of a step in every run of a workflow. */
export interface ReuseKey {
  readonly path: string;
  /** From 1 per path. */
  readonly execution: number;
  /** SHA-256 of the canonical JSON of all that the step was given. */
  readonly inputHash: string;
}

/** A step that succeeded in an earlier run and need not be carried out again (ENG-15): as its `step-completed` has it. */
export interface ReusableStep
  extends Pick<
    StepCompleted,
    | "attempt"
    | "output"
    | "outputTruncated"
    | "text"
    | "reason"
    | "durationMs"
    | "agent"
    | "outcome"
    | "data"
    | "command"
  > {
  /** Where it was carried out: the run, and the seq of its `step-completed` there. */
  readonly reusedFrom: { readonly run: string; readonly seq: number };
  /** What was given to it there. */
  readonly inputHash: string;
}

/** What a fork puts in place of what a step came to. */
export interface RevisedStep {
  readonly path: string;
  readonly execution: number;
  readonly output: string;
  /** As `step-completed` has it. */
  readonly data?: Json;
}

/** What a run may take over from an earlier one; lies in its journal as JSON. */
export interface ReuseTable {
  readonly v: 1;
  readonly steps: readonly (Omit<ReuseKey, "inputHash"> & ReusableStep)[];
}

/** The commits that an agent of an earlier run made in its worktree. */
export interface LeftWorktree {
  readonly agent: string;
  /** The run whose branch has them. */
  readonly run: string;
  /** Id of the commit that its changes are compared with. */
  readonly base: string;
  /** Id of its last commit. */
  readonly commit: string;
}
