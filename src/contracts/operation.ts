import type { ErrorReport } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";

/** How an operation ended. */
export type OperationOutcome =
  | { readonly status: "ok"; readonly value: Json }
  | { readonly status: "error"; readonly error: ErrorReport }
  | { readonly status: "cancelled"; readonly reason: string };

/** One start of one operation. */
export interface OperationCall {
  readonly op: string;
  /** Path of the scope that asked. */
  readonly scope: string;
  /** Aborts on cancellation, deadline and suspension. Its reason is a StopRequest. */
  readonly signal: AbortSignal;
  /** 1 for the first start; rises with every start. */
  readonly attempt: number;
  /** Earlier starts that failed; starts cut off by the owner's death or suspension do not count. */
  readonly failedAttempts: number;
  /** `<run id>/<operation id>`: the same for every attempt. */
  readonly key: string;
  /** When the operation was scheduled, in ms since the epoch; the same for every attempt. */
  readonly scheduledAt: number;
  /** Running time of the run when the operation was scheduled, in ms. */
  readonly scheduledAtRunningMs: number;
  /** Journals that the operation starts again after a failure; resolves with the new attempt once that is durable. */
  beginAttempt(delayMs: number): Promise<number>;
}

/** Why an operation's effects must end. */
export type StopRequest =
  | { readonly kind: "cancelled"; readonly reason: string }
  | { readonly kind: "suspended" };

/**
 * Carries out operations of one kind; whoever registers one parses its input. The engine knows kinds through this interface only.
 * What `execute` appends right before it returns goes into the transaction of the outcome.
 */
export interface OperationHandler {
  readonly kind: string;
  /**
   * `journal`: the effect is events alone; executed while it is scheduled, so that its events (and its
   * outcome, unless it returns a promise) go into the transaction of the schedule.
   * `world`: executed after its schedule is durable.
   * `guarded`: executed while it is scheduled, as far as events go; it waits itself until these and its schedule are
   * durable before it touches anything else. Started again, it is executed after that is durable.
   * All are executed again after a crash if unsettled.
   */
  readonly effect: "journal" | "world" | "guarded";
  /** What only a person can end stops the clock of running time. Defaults to `work`. */
  readonly waitsFor?: "work" | "person" | "others";
  /** Whether nothing works for an open operation right now, for kinds that are not at work themselves. Defaults to no. */
  isStill?(op: string): boolean;
  execute(input: Json, call: OperationCall): Promise<Json> | Json;
}
