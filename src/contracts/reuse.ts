import type { Json } from "../foundation/json.ts";
import type { CompletionReason } from "./agent.ts";

/** What identifies one execution of a step in every run of a workflow. */
export interface ReuseKey {
  readonly path: string;
  /** From 1 per path. */
  readonly execution: number;
  /** SHA-256 of the canonical JSON of all that the step was given. */
  readonly inputHash: string;
}

/** A step that succeeded in an earlier run and need not be carried out again (ENG-15). */
export interface ReusableStep {
  /** Where it was carried out: the run, and the seq of its `step-completed` there. */
  readonly reusedFrom: { readonly run: string; readonly seq: number };
  readonly inputHash: string;
  readonly attempt: number;
  readonly output: string;
  readonly outputTruncated?: boolean;
  /** The whole final text, when it differs from the output. */
  readonly text?: string;
  readonly reason: CompletionReason;
  /** What it took then. */
  readonly durationMs: number;
  readonly agent?: string;
  readonly outcome?: string;
  /** As `step-completed` has it. */
  readonly data?: Json;
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
