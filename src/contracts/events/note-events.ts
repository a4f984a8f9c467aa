import type { ErrorReport } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import type { CompletionReason } from "../agent.ts";
import type { CarriedAdjustment } from "../reflection.ts";
import type { CommandEnd, FailureRecord } from "../step-facts.ts";
import type { TrajectoryRecord } from "../trajectory.ts";

/** Names a note as an operation is named, so that replay can skip it. */
interface Noted {
  readonly note: string;
}

interface StepNoted extends Noted {
  /** The id as written. */
  readonly step: string;
  /** Its full place: `review`, `all-files[3]/check`. */
  readonly path: string;
  /** Counts from 1 per path. */
  readonly execution: number;
}

export interface StepStarted extends StepNoted {
  readonly type: "step-started";
  readonly attempt: number;
  readonly agent?: string;
  /** What people know it by where one step is carried out for many things: the item of a list. */
  readonly label?: string;
  /** SHA-256 of the canonical JSON of all that this execution was given. */
  readonly inputHash?: string;
}

export interface StepCompleted extends StepNoted {
  readonly type: "step-completed";
  readonly attempt: number;
  readonly output: string;
  readonly outputTruncated?: boolean;
  /** The whole final text, when it differs from the output. */
  readonly text?: string;
  readonly reason: CompletionReason;
  readonly durationMs: number;
  readonly agent?: string;
  readonly outcome?: string;
  /** In step workflows, when it is not what the output is as JSON. */
  readonly data?: Json;
  /** How its command ended; its stdout is the output. Absent for agents and in journals of earlier versions. */
  readonly command?: Omit<CommandEnd, "stdout">;
  /** Where it was carried out, when this run took it over and started nothing. */
  readonly reusedFrom?: { readonly run: string; readonly seq: number };
  /** Of a step that was taken over; all others have it in `step-started`. */
  readonly inputHash?: string;
}

export interface StepFailed extends StepNoted {
  readonly type: "step-failed";
  readonly attempt: number;
  readonly error: ErrorReport;
  readonly durationMs: number;
  readonly agent?: string;
  /** What it has although it failed, in step workflows. */
  readonly data?: Json;
  /** Output of the program or check that failed. */
  readonly failure?: FailureRecord;
  /** The last text of its agent. */
  readonly said?: string;
}

export interface StepRetrying extends StepNoted {
  readonly type: "step-retrying";
  /** The attempt that failed. */
  readonly attempt: number;
  readonly error: ErrorReport;
  readonly delayMs: number;
  readonly agent?: string;
}

export interface StepSkipped extends StepNoted {
  readonly type: "step-skipped";
  readonly reason: string;
}

/** A step that can never start because something before it failed. */
export interface StepBlocked extends StepNoted {
  readonly type: "step-blocked";
  readonly by: readonly string[];
}

export interface StepCancelled extends StepNoted {
  readonly type: "step-cancelled";
  readonly reason: string;
}

export interface VerificationPassed extends Noted {
  readonly type: "verification-passed";
  readonly step: string;
  readonly check: string;
}

export interface VerificationFailed extends Noted {
  readonly type: "verification-failed";
  readonly step: string;
  readonly check: string;
  /** The end of what the check printed or found. */
  readonly output: string;
  /** Output of the command of the check. */
  readonly failure?: FailureRecord;
}

/** A step changed or deleted test files or configuration of CI that were there before it; told before its checks. */
export interface TestsChanged extends Noted {
  readonly type: "tests-changed";
  readonly step: string;
  /** Paths from the root of the repository, or from the agent's directory without one; the first ones. */
  readonly files: readonly string[];
  /** How many there are beyond these. */
  readonly more: number;
}

export interface PatternAdvanced extends Noted {
  readonly type: "pattern-advanced";
  readonly kind: string;
  readonly data: Json;
  /** Path of the step that the pattern carries out; absent when it carries out the run. */
  readonly path?: string;
}

/** The work so far was reflected on, and changed accordingly. */
export interface ReflectionMade extends Noted {
  readonly type: "reflection-made";
  /** The agent that reflected, or `system` for Troupe. */
  readonly by: string;
  readonly synthesis: string;
  /** The questions that were asked of the work, two or three. */
  readonly focalPoints: readonly string[];
  /** In the order in which they were carried out. */
  readonly adjustments: readonly CarriedAdjustment[];
  /** Share of the agents that take part and are neither stuck nor have failed. */
  readonly confidence: number;
  /** What had accumulated when it was due. */
  readonly importance: number;
}

/** Somebody added a decision, a finding or a reflection to the trajectory of the run. */
export interface RecordAdded extends Noted {
  readonly type: "record-added";
  /** The id of an agent, `user`, or the name of the workflow where its program did. */
  readonly by: string;
  /** Of an agent: its id. */
  readonly agent?: string;
  /** Of an agent: the turn in which it did. */
  readonly turn?: number;
  readonly record: TrajectoryRecord;
}

/** A guard of a step workflow let no further step begin. */
export interface GuardTripped extends Noted {
  readonly type: "guard-tripped";
  readonly guard: string;
  readonly reason: string;
  /** Ids of the steps that led there, the last ones. */
  readonly path: readonly string[];
}

/** A line from user code or from the program. */
export interface Logged extends Noted {
  readonly type: "log";
  readonly level: "info" | "warning" | "error";
  readonly text: string;
}

export type NoteEvent =
  | StepStarted
  | StepCompleted
  | StepFailed
  | StepRetrying
  | StepSkipped
  | StepBlocked
  | StepCancelled
  | VerificationPassed
  | VerificationFailed
  | TestsChanged
  | PatternAdvanced
  | ReflectionMade
  | RecordAdded
  | GuardTripped
  | Logged;

/** What a program hands to `note`; the engine adds the id. Distributes over the union. */
export type NoteData = NoteEvent extends infer Event
  ? Event extends Noted
    ? Omit<Event, "note">
    : never
  : never;
