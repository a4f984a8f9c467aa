import type { Json } from "../../foundation/json.ts";

/** An operation without an outcome. */
export interface OpenOperation {
  readonly op: string;
  readonly kind: string;
  readonly input: Json;
  /** Milliseconds since the epoch. */
  readonly scheduledAt: number;
  readonly seq: number;
  /** Starts so far; the first is implied by the scheduling. */
  attempt: number;
  /** Attempts that failed: the only ones that count against a limit. */
  failedAttempts: number;
  /** Deaths of the owner in a row, up to the latest start. */
  ownerDeaths: number;
  /** The agent that a `turn` operation prompts. */
  agent: string | undefined;
  /** The running turn that took a `turn` operation's prompt. */
  turn: number | undefined;
  /** What an `approval` operation asks. */
  approval: string | undefined;
}

/** What the program waits for. Settled operations are counted and forgotten. */
export interface OperationsState {
  /** By id, in the order of scheduling. */
  readonly open: Map<string, OpenOperation>;
  scheduled: number;
  readonly settled: { ok: number; error: number; cancelled: number };
}

/** Who moves the run on, in counters, so that one look tells whether only people can. */
export interface Activity {
  /** Open operations that are work, turns included. */
  work: number;
  /** Those of them that stand still because a turn waits for a person. */
  blockedPrompts: number;
  /** Open operations whose child run waits for nothing but people. */
  blockedChildren: number;
  runningTurns: number;
  /** Running turns with an open permission request or question. */
  waitingTurns: number;
}
