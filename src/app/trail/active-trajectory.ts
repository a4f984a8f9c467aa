import type { JournalEvent } from "../../contracts/events/event.ts";
import type { Clock, Timer } from "../../foundation/clock.ts";

// Owns when the trajectory of a run that goes on is written.
// A1: never twice at the same time, and never for each event: what happens meanwhile is in the next one.
// A2: after each the pause is at least GAP_MS, and so long that writing takes a fiftieth of the time at most: to tell a
//     run takes longer the longer it is, and what a long run pays for it must not grow. What took long once, as the first
//     does, which loads code, or one on a busy machine, says nothing of that: the quicker of the last two counts.

const GAP_MS = 1000;
const PAUSE_PER_COST = 49;

/** By these the story is another one than before: chapters, and what somebody says is to be remembered. */
const TURNS_OF_THE_STORY: ReadonlySet<JournalEvent["type"]> = new Set([
  ...(["run-started", "run-resumed", "run-suspended", "agent-spawned", "agent-exited"] as const),
  ...(["step-started", "step-completed", "step-failed", "step-skipped"] as const),
  ...(["step-blocked", "step-cancelled", "record-added", "reflection-made"] as const),
  ...(["approval-resolved", "question-answered"] as const),
]);

/** What writes the trajectory of a run while it goes on. */
export interface ActiveTrajectory {
  /** Durable events of the run, in order. */
  take(events: readonly JournalEvent[]): void;
  /** Resolves once nothing is being written and nothing will be; whether something that was taken in was not written. */
  close(): Promise<boolean>;
}

/** `write` tells the run anew; it never rejects. */
export function createActiveTrajectory(
  write: () => Promise<void>,
  clock: Pick<Clock, "monotonic" | "startTimer">,
): ActiveTrajectory {
  let isStale = false;
  let isClosed = false;
  let pause: Timer | undefined;
  let writing: Promise<void> | undefined;
  let lastCostMs = 0;
  const writeNow = async () => {
    isStale = false;
    const startedAt = clock.monotonic();
    await write();
    const costMs = clock.monotonic() - startedAt;
    const pauseMs = Math.max(GAP_MS, Math.min(costMs, lastCostMs) * PAUSE_PER_COST);
    lastCostMs = costMs;
    writing = undefined;
    if (isClosed) return;
    pause = clock.startTimer(pauseMs, () => {
      pause = undefined;
      go();
    });
  };
  const go = () => {
    if (isStale && !isClosed && pause === undefined) writing ??= writeNow();
  };
  return {
    take: (events) => {
      if (!events.some(({ type }) => TURNS_OF_THE_STORY.has(type))) return;
      isStale = true;
      go();
    },
    close: async () => {
      isClosed = true;
      pause?.cancel();
      await writing;
      return isStale;
    },
  };
}
