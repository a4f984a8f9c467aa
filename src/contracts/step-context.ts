import type { ErrorReport } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";
import type { StepFacts } from "./step-facts.ts";

/** What one execution of a step came to. */
export interface StepRecord {
  readonly stepId: string;
  readonly success: boolean;
  /** Null when there is none. A failed step may have some, as a `parallel` has. */
  readonly data: Json;
  readonly error?: ErrorReport;
  /** ISO 8601. */
  readonly startTime: string;
  readonly endTime: string;
  readonly durationMs: number;
  /** Its end as variables see it in every kind of workflow. Absent: for what is not a step of the file. */
  readonly facts?: StepFacts;
  /** Another name under which the data is found. */
  readonly output?: string;
  /** What a person said with a decision, for the step that comes next. */
  readonly comment?: string;
  /** What steps inside of it came to; they come before it in the history. */
  readonly inner?: readonly StepRecord[];
  /** Its `when` was false: it has no data, and stands for nothing in the context. */
  readonly isSkipped?: true;
  /** The step before the next one is that before this one, as after a condition. Not in the history. */
  readonly isLookedThrough?: true;
}

/** How far a step workflow has come. */
export interface StepProgress {
  /** The step that was executed last, empty before the first. For a step: the one before it, conditions and waits left out. */
  readonly currentStep: string;
  /** All that were executed, in order, the same one as often as it was. */
  readonly previousSteps: readonly string[];
  /** Steps that were begun, without those inside of others. */
  readonly iterationCount: number;
  /** Of these, how many failed. */
  readonly errorCount: number;
}

/**
 * What the steps of a workflow know of each other. Never changed: `addResult` makes another one, which costs the
 * same however long the history is.
 */
export interface WorkflowContext {
  readonly workflowId: string;
  /** ISO 8601. */
  readonly startTime: string;
  readonly input: Json;
  readonly metadata: StepProgress;
  /** The latest record of each step, in the order of their first execution. */
  readonly results: ReadonlyMap<string, StepRecord>;
  /** Every execution, in order, nested ones before the step around them. */
  readonly history: readonly StepRecord[];
  /** The latest record of a step. */
  getResult(stepId: string): StepRecord | undefined;
  /** The end of a step: of its latest execution, or that it was skipped if it has had none. */
  factsOf(stepId: string): StepFacts | undefined;
  /** Data by the id of a step, the `output` name of one or a key of the initial context; undefined when there is none. */
  dataOf(name: string): Json | undefined;
  /** All data by name: of the initial context, then of steps that succeeded or failed with data. */
  toData(): { readonly [name: string]: Json };
  /** With what a step came to, and the steps inside of it before. */
  addResult(record: StepRecord): WorkflowContext;
  /** Depends on the input and on everything that was recorded, but not on when. */
  readonly fingerprint: string;
  /** The last failure of a step, also when a later execution succeeded. */
  errorOf(stepId: string): Json | undefined;
  /** The last failure of each step. */
  toErrors(): { readonly [stepId: string]: Json };
}
