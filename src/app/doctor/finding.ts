/** What a problem keeps from working; decides the exit code of the doctor. */
export type Obstacle = "configuration" | "runs" | "default-backend";

/** One thing that the doctor has looked at. */
export interface Finding {
  /** What was looked at: `node`, `project`, `claude`. */
  readonly subject: string;
  /** `note`: good to know; `warning`: works, but not for long or not for everybody; `problem`: does not work. */
  readonly status: "ok" | "note" | "warning" | "problem";
  readonly text: string;
  /** The next command, or what else to do. */
  readonly hint?: string;
  /** Only of problems. */
  readonly stops?: Obstacle;
}

/** Looks at one thing; what it throws becomes a problem that stops runs. */
export interface Check {
  readonly subject: string;
  look(signal: AbortSignal): Promise<readonly Finding[]>;
}
