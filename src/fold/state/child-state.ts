import type { Outcome, WaitingItem } from "../../contracts/run.ts";

/** A child run, as its parent's journal knows it. */
export interface ChildState {
  readonly child: string;
  readonly op: string;
  readonly workflow: string;
  /** Id and path of the step that wanted it. */
  readonly step: string | undefined;
  readonly path: string | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** What it and the runs below it ask people for. */
  readonly waitingFor: readonly WaitingItem[];
  /** Whether its operation waits for nothing but people. */
  readonly isBlocked: boolean;
  /** Undefined while it is not over. */
  readonly end: ChildEnd | undefined;
}

/** What a child came to. */
export interface ChildEnd {
  readonly outcome: Outcome;
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly endedAt: number;
}
