import type { JournalEvent } from "../../contracts/events/event.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { concerns } from "../runs/concerns.ts";

// What somebody who looks over an agent's shoulder wants to know beside what is said.
const TOLD_WHILE_FOLLOWING: ReadonlySet<string> = new Set([
  "message-dead",
  "turn-failed",
  "agent-status",
  "agent-exited",
  "question-asked",
  "permission-requested",
  "approval-requested",
  "run-suspended",
  "run-ended",
]);

/** Whether an event is a message from, to or about the agent; of any agent without one. */
export function isMessageOf(
  event: JournalEvent,
  agent: string | undefined,
  state: RunState,
): boolean {
  if (event.type !== "message-posted") return false;
  return agent === undefined || concerns(event, { agent }, state);
}

/** Whether an event is told while a run is watched. `state` is the run before it. */
export function isToldInPeek(
  event: JournalEvent,
  agent: string | undefined,
  state: RunState,
): boolean {
  if (isMessageOf(event, agent, state)) return true;
  if (!TOLD_WHILE_FOLLOWING.has(event.type)) return false;
  return event.type.startsWith("run-") || agent === undefined || concerns(event, { agent }, state);
}
