import type { Clock } from "../../foundation/clock.ts";

/** A clock of its own that stands still until it is moved to its next timer. */
export interface VirtualClock extends Clock {
  /** Moves on to the timer that is due next and fires it; false when none waits. */
  fireNext(): boolean;
}

interface WaitingTimer {
  readonly dueMs: number;
  readonly fire: () => void;
}

/** A clock that shows `startMs` and moves only when it is told to. */
export function createVirtualClock(startMs: number): VirtualClock {
  const timers = new Set<WaitingTimer>();
  let elapsedMs = 0;
  return {
    now: () => startMs + elapsedMs,
    monotonic: () => elapsedMs,
    startTimer: (delayMs, fire) => {
      const timer = { dueMs: elapsedMs + Math.max(0, delayMs), fire };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
    fireNext: () => {
      let next: WaitingTimer | undefined;
      for (const timer of timers) if (next === undefined || timer.dueMs < next.dueMs) next = timer;
      if (next === undefined) return false;
      elapsedMs = Math.max(elapsedMs, next.dueMs);
      timers.delete(next);
      next.fire();
      return true;
    },
  };
}
