import type { Usage } from "../../../contracts/usage.ts";
import type { ErrorReport } from "../../../foundation/errors.ts";

/** How something that takes time came out; `running` while its end is not in the journal. */
export type SpanEnd = "completed" | "failed" | "interrupted" | "running";

/** When something began and ended. Positions count events from 1, times are in ms since the epoch. */
export interface Period {
  readonly position: number;
  readonly startedAt: number;
  endPosition: number | undefined;
  endedAt: number | undefined;
  end: SpanEnd;
}

/** One start of one turn of an agent. */
export interface TurnSpan extends Period {
  readonly agent: string;
  readonly turn: number;
  readonly attempt: number;
  /** Path of the step that it serves. */
  readonly step: string | undefined;
  /** What the agent was given, if it was given a prompt. */
  readonly prompt: string | undefined;
  /** Why it ended, when it did not end well. */
  detail: string | undefined;
  text: string | undefined;
  usage: Usage | undefined;
  tools: number;
  /** What its tools were to change in files, in order. */
  readonly edits: FileEdit[];
  /** Files that it changed, whatever by. */
  readonly files: string[];
}

/** A text in a file that a tool was to put in place of another one. */
export interface FileEdit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly call: string;
  readonly position: number;
  /** Whether the tool said that it could not. */
  isFailed: boolean;
}

/** One attempt of one execution of a step. */
export interface AttemptSpan extends Period {
  readonly path: string;
  readonly execution: number;
  readonly attempt: number;
  readonly agent: string | undefined;
  error: ErrorReport | undefined;
}

/** A wait for a person, from the request to the decision. */
export interface WaitSpan extends Period {
  readonly id: string;
  readonly label: string;
}

/** How a check of a step came out. */
export interface CheckResult {
  readonly step: string;
  /** What was checked; for `changed tests` the files that the step changed before. */
  readonly check: string;
  readonly outcome: "passed" | "failed" | "changed tests";
  readonly output: string;
  readonly position: number;
}

/** One revision of a document. */
export interface Revision {
  readonly document: string;
  readonly revision: number;
  readonly by: string;
  readonly kind: "write" | "append";
  /** The whole text, and that of the revision before. */
  readonly text: string;
  readonly before: string;
  readonly position: number;
  readonly at: number;
}

/** What an observer of the span sees after `position` events: an end that lies later has not come yet. */
export function endAt(span: Period, position: number): SpanEnd {
  return span.endPosition !== undefined && span.endPosition <= position ? span.end : "running";
}
