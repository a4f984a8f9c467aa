import type { CompletionReason } from "../../contracts/agent.ts";
import type { CommandEnd, FailureRecord } from "../../contracts/step-facts.ts";
import type { ErrorReport } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";

/** What is known of a step's latest execution in every status. */
export interface StepPlace {
  /** The id as written. */
  readonly step: string;
  readonly path: string;
  /** From 1; also how often the step was executed. */
  readonly execution: number;
  /** Of this execution; 0 when it never started. */
  readonly attempt: number;
  readonly agent: string | undefined;
  /** What people know it by, where it is one of many: the item of a list. */
  readonly label: string | undefined;
  /** First start of this execution, in ms since the epoch. */
  readonly startedAt: number | undefined;
  /** Seq of the event that led to this status. */
  readonly seq: number;
}

/** The end of an execution, in ms since the epoch. */
interface StepEnd {
  readonly endedAt: number;
}

/** The latest execution of one step. */
export type StepState = StepPlace &
  (
    | { readonly status: "running" }
    | { readonly status: "retrying"; readonly error: ErrorReport; readonly delayMs: number }
    | (StepEnd & {
        readonly status: "completed";
        readonly output: string;
        readonly outputTruncated: boolean;
        /** The whole final text; the output when they do not differ. */
        readonly text: string;
        readonly reason: CompletionReason;
        readonly durationMs: number;
        readonly outcome: string | undefined;
        /** In step workflows, when it is not what the output is as JSON. */
        readonly data: Json | undefined;
        /** How its command ended; undefined for agents and in journals of before. */
        readonly command: Omit<CommandEnd, "stdout"> | undefined;
        readonly reusedFrom: { readonly run: string; readonly seq: number } | undefined;
      })
    | (StepEnd & {
        readonly status: "failed";
        readonly error: ErrorReport;
        readonly durationMs: number;
        readonly data: Json | undefined;
        /** Output of the program or check that failed. */
        readonly failure: FailureRecord | undefined;
        /** What its agent had said; empty for none. */
        readonly said: string;
      })
    | (StepEnd & { readonly status: "skipped"; readonly reason: string })
    | (StepEnd & { readonly status: "blocked"; readonly by: readonly string[] })
    | (StepEnd & { readonly status: "cancelled"; readonly reason: string })
  );

export type StepStatus = StepState["status"];

/** All steps that the journal names. */
export interface StepsState {
  /** In the order of first appearance. */
  readonly byPath: Map<string, StepState>;
  /** Ids of steps outside of others that were executed, in order, each as often as it was. */
  readonly ended: string[];
  /** Steps per status of their latest execution. */
  readonly counts: { [status in StepStatus]: number };
  /** Attempts that failed and were followed by another. */
  retries: number;
  /** How often turns were started for the latest execution of a step that had any, by path. */
  readonly starts: Map<string, { readonly execution: number; readonly count: number }>;
  /** The last verification per step id. */
  readonly verifications: Map<string, Verification>;
  /** Test files and configuration of CI that a step changed, per step id, as its last attempt left them. */
  readonly changedTests: Map<string, ChangedTests>;
}

/** Files that were there before a step, changed or deleted by it. */
export interface ChangedTests {
  /** The first ones. */
  readonly files: readonly string[];
  /** How many there are beyond these. */
  readonly more: number;
}

/** How a check of a step came out. */
export interface Verification {
  readonly check: string;
  readonly hasPassed: boolean;
  /** The end of what the check printed; empty when it passed. */
  readonly output: string;
  /** Output of its command, where one failed. */
  readonly failure: FailureRecord | undefined;
  readonly seq: number;
}
