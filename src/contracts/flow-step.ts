import type { Json } from "../foundation/json.ts";
import type { Budget } from "./budget.ts";
import type { VerificationSpec } from "./step.ts";

/** One step of a step workflow, resolved: what all types have, and the settings of its own. Plain JSON. */
export interface FlowStep {
  /** Unique in the file, nested steps included. */
  readonly id: string;
  /** Name of a registered step type. */
  readonly type: string;
  readonly description?: string;
  /** An expression; false skips the step, which then goes on as if it had succeeded. */
  readonly when?: string;
  /** Where it goes on, by the key as written: `next`, `on_error`, `then`, `on_reject`. Empty inside of other steps. */
  readonly routes: { readonly [key: string]: string };
  /** Attempts in all, 1 or more. */
  readonly maxAttempts: number;
  /** Wait before the second attempt, in ms; doubles with each. */
  readonly retryDelayMs: number;
  /** Per attempt. Absent: no deadline. */
  readonly timeoutMs?: number;
  /** What all turns of this step may consume; then it fails. */
  readonly budget?: Budget;
  /** A step, an `output` name or a key of the initial context, whose data the step is given under that name. */
  readonly input?: string;
  /** A second name of its data. */
  readonly output?: string;
  /** Names of variables of Troupe's own environment that its commands get; their values are never journaled. */
  readonly passEnv?: readonly string[];
  readonly verify: readonly VerificationSpec[];
  /** Steps inside of it, in the order of the file. */
  readonly steps: readonly FlowStep[];
  /** What only its type understands, with the keys of the file. */
  readonly settings: { readonly [key: string]: Json };
}
