import type { Json } from "../../foundation/json.ts";
import type { OperationOutcome } from "../operation.ts";

/** The program asked for an operation. Durable before its effect begins (I1). */
export interface OperationScheduled {
  readonly type: "operation-scheduled";
  /** Scope path, kind and ordinal: `fan-out/worker-2/turn#3` (I4). */
  readonly op: string;
  readonly kind: string;
  readonly input: Json;
}

/** A second or later start of an operation; the first is implied by its scheduling. */
export interface OperationAttempted {
  readonly type: "operation-attempted";
  readonly op: string;
  /** 2 or more. */
  readonly attempt: number;
  /**
   * Only `failed` counts against a limit of attempts. `suspended`: its owner let go, or died while it did
   * nothing but wait for a person.
   */
  readonly cause: "failed" | "owner-died" | "suspended";
  /** Wait before this start, in ms. */
  readonly delayMs?: number;
}

/** The one outcome of an operation. */
export interface OperationSettled {
  readonly type: "operation-settled";
  readonly op: string;
  readonly outcome: OperationOutcome;
}

export type OperationEvent = OperationScheduled | OperationAttempted | OperationSettled;
