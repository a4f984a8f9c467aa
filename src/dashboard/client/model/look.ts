import type { GraphNodeStatus } from "../../../contracts/graph.ts";
import type { RunStatus } from "../../../contracts/run.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { runStatus } from "../../../fold/waiting.ts";
import type { SpanEnd } from "./spans.ts";

/** How something is shown: of a run that nobody carries out nothing is at work. */
export type Look = GraphNodeStatus | "suspended";

/** All of them, what asks for somebody first. */
export const LOOKS: readonly Look[] = [
  ...(["failed", "waiting", "blocked", "retrying", "running", "suspended"] as const),
  ...(["completed", "skipped", "cancelled", "pending"] as const),
];

/** What a state is called. */
export const LOOK_WORDS: { readonly [look in Look]: string } = {
  pending: "not begun",
  waiting: "needs you",
  running: "running",
  retrying: "retrying",
  completed: "completed",
  failed: "failed",
  skipped: "skipped",
  blocked: "blocked",
  cancelled: "cancelled",
  suspended: "suspended",
};

const RUN_LOOKS: { readonly [status in RunStatus]: Look } = {
  running: "running",
  waiting: "waiting",
  paused: "pending",
  suspended: "suspended",
  completed: "completed",
  failed: "failed",
  rejected: "failed",
  cancelled: "cancelled",
  "timed-out": "failed",
  "limit-reached": "failed",
};

/** The state of a run with the word for it; `isLeft`: no process carries it out. */
export function lookOfRun(
  state: RunState,
  isLeft: boolean,
): {
  readonly look: Look;
  readonly word: string;
} {
  const said = runStatus(state);
  const status = said === "running" && isLeft ? "suspended" : said;
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
