import type { ChildUse } from "../budget.ts";
import type { Outcome, WaitingItem } from "../run.ts";

/** A run is to be carried out as a child of this one; durable before it exists. */
export interface ChildStarted {
  readonly type: "child-started";
  /** Id of the child run, whose `run-created` names this run and the operation. */
  readonly child: string;
  readonly op: string;
  /** Key of `workflows` of this run's definition. */
  readonly workflow: string;
  /** The step that wants it: its id as written, and its full place. */
  readonly step?: string;
  readonly path?: string;
}

/** What a child asks people for has changed, or whether anything else can move it on. */
export interface ChildWaiting {
  readonly type: "child-waiting";
  readonly child: string;
  readonly op: string;
  /** All that it and the runs below it ask people for; `run` names which one does. */
  readonly waitingFor: readonly WaitingItem[];
  /** Whether all that could go on in it waits for a person. */
  readonly isBlocked: boolean;
}

/** What a child and the runs below it have consumed by now, all together. Told while a budget above counts it, and at its end. */
export interface ChildSpent {
  readonly type: "child-spent";
  readonly child: string;
  readonly op: string;
  readonly use: ChildUse;
}

/** A child is over; in the transaction of the operation's outcome, unless that was cancelled before. */
export interface ChildEnded {
  readonly type: "child-ended";
  readonly child: string;
  readonly op: string;
  readonly outcome: Outcome;
  readonly reason: string;
}

export type ChildEvent = ChildStarted | ChildWaiting | ChildSpent | ChildEnded;
