import type { JournalEvent } from "../events/event.ts";
import type { WorkflowGraph } from "../graph.ts";

/** All that a page needs to show one run at every moment of it; what `troupe report` writes into its file. */
export interface RunReport {
  readonly v: 1;
  readonly run: string;
  /** Version of troupe that wrote the report. */
  readonly troupe: string;
  /** Milliseconds since the epoch. */
  readonly writtenAt: number;
  /** Whether no process carried the run out then, so that nothing of it was at work. Absent in reports of before. */
  readonly isLeft?: boolean;
  /** Whether what tells of the machine and its user was taken out. */
  readonly isRedacted: boolean;
  /** The workflow without the run; empty when its definition cannot be read. */
  readonly graph: WorkflowGraph;
  /** The whole journal up to the moment of writing. */
  readonly events: readonly JournalEvent[];
}

/** A long report as it stands in its page. */
export interface PackedReport {
  readonly v: 1;
  /** The report as JSON, compressed by gzip, in base64. */
  readonly packed: string;
}
