import type { GraphNodeStatus } from "../../../contracts/graph.ts";
import type { RunStatus } from "../../../contracts/run.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { runStatus } from "../../../fold/waiting.ts";
import type { SpanEnd } from "./spans.ts";

/** What a state is called. */
export const LOOK_WORDS: { readonly [look in GraphNodeStatus]: string } = {
  pending: "not begun",
  waiting: "needs you",
  running: "running",
  retrying: "retrying",
  completed: "completed",
  failed: "failed",
  skipped: "skipped",
  blocked: "blocked",
  cancelled: "cancelled",
};

const RUN_LOOKS: { readonly [status in RunStatus]: GraphNodeStatus } = {
  running: "running",
  waiting: "waiting",
  paused: "pending",
  suspended: "pending",
  completed: "completed",
  failed: "failed",
  rejected: "failed",
  cancelled: "cancelled",
  "timed-out": "failed",
  "limit-reached": "failed",
};

/** The state of a run with the word for it. */
export function lookOfRun(state: RunState): {
  readonly look: GraphNodeStatus;
  readonly word: string;
} {
  const status = runStatus(state);
  return { look: RUN_LOOKS[status], word: status === "waiting" ? "needs you" : status };
}

const SPAN_LOOKS: { readonly [end in SpanEnd]: GraphNodeStatus } = {
  running: "running",
  completed: "completed",
  failed: "failed",
  interrupted: "cancelled",
};

/** The look of something that took time. */
export function lookOfSpan(end: SpanEnd): GraphNodeStatus {
  return SPAN_LOOKS[end];
}
