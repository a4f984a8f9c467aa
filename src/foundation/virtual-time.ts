import type { Clock } from "./clock.ts";

/** A clock whose time is moved by whoever holds it; firing is synchronous. */
export interface VirtualTime extends Clock {
  /** Timers that wait. */
  readonly timerCount: number;
  /** When the next timer is due, on the clock of `monotonic`; undefined when none waits. */
  readonly nextDueMs: number | undefined;
  /** Goes to the next timer and fires it; false when none waits. */
  fireNext(): boolean;
  /** Moves on to a later reading of `monotonic` without firing anything. */
  moveTo(untilMs: number): void;
  /** Sets what `now` says forward, or back if below 0; timers do not notice. */
  jump(byMs: number): void;
}

interface WaitingTimer {
  readonly dueMs: number;
  readonly fire: () => void;
}

/** A time that begins at `startMs`, in ms since the epoch. */
export function createVirtualTime(startMs: number): VirtualTime {
  const timers = new Set<WaitingTimer>();
  let elapsedMs = 0;
  let jumpedMs = 0;
  const nextTimer = () => {
    let next: WaitingTimer | undefined;
    for (const timer of timers) if (next === undefined || timer.dueMs < next.dueMs) next = timer;
    return next;
  };
  return {
    now: () => startMs + jumpedMs + elapsedMs,
    monotonic: () => elapsedMs,
    startTimer: (delayMs, fire) => {
      const timer = { dueMs: elapsedMs + Math.max(0, delayMs), fire };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
    get timerCount() {
      return timers.size;
    },
    get nextDueMs() {
      return nextTimer()?.dueMs;
    },
    fireNext: () => {
      const next = nextTimer();
      if (next === undefined) return false;
      elapsedMs = Math.max(elapsedMs, next.dueMs);
      timers.delete(next);
      next.fire();
      return true;
    },
    moveTo: (untilMs) => {
      elapsedMs = Math.max(elapsedMs, untilMs);
    },
    jump: (byMs) => {
      jumpedMs += byMs;
    },
  };
}
