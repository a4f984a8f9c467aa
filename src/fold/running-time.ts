import type { JournalEvent } from "../contracts/events/event.ts";
import { recordedMs } from "../foundation/duration.ts";
import type { RunState } from "./state/run-state.ts";
import { isWaitingForPerson } from "./waiting.ts";

const STARTS: ReadonlySet<string> = new Set(["run-started", "run-resumed", "run-forked"]);

/**
 * Adds the time since the last counted event if the run was live and not waiting for people before this
 * one. What lies before a start counts for nothing: the owner had let go or died.
 */
export function countRunningTime(state: RunState, event: JournalEvent): void {
  const { runningTime } = state;
  // A command or a record may be written while nobody owns the run, so its time says nothing about the owner's life.
  if (event.type === "command-received" || event.type === "record-added") return;
  // Whoever ended it knows how long it ran: nobody may have owned it for days.
  if (event.type === "run-ended") {
    runningTime.ownedMs += Math.max(0, event.durationMs - runningTime.totalMs);
    runningTime.totalMs = recordedMs(event.durationMs);
    runningTime.countedUntil = event.at;
    return;
  }
  const isStart = STARTS.has(event.type);
  if (!isStart) {
    const ownedMs = sinceCounted(state, event.at);
    runningTime.ownedMs += ownedMs;
    if (!isWaitingForPerson(state)) runningTime.totalMs += ownedMs;
  }
  runningTime.countedUntil = event.at;
}

/**
 * Running time in ms if it is `nowMs` (since the epoch) and an owner is alive; that of the last event
 * while the run is suspended, over, or waits for people.
 */
export function runningMsAt(state: RunState, nowMs: number): number {
  const { totalMs } = state.runningTime;
  return isWaitingForPerson(state) ? totalMs : totalMs + sinceCounted(state, nowMs);
}

/** As `runningMsAt`, with the time in which everything waits for people. */
export function ownedMsAt(state: RunState, nowMs: number): number {
  return state.runningTime.ownedMs + sinceCounted(state, nowMs);
}

function sinceCounted(state: RunState, untilMs: number): number {
  if (state.phase.status !== "running") return 0;
  return Math.max(0, untilMs - state.runningTime.countedUntil);
}
