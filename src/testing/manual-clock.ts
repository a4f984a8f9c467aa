import type { Clock } from "../foundation/clock.ts";

/** A clock that moves only when it is told to. */
export interface ManualClock extends Clock {
  /**
   * Moves time forward, firing what falls due in order, and lets promises and immediates settle after
   * each, so that what a timer starts can set the next timer.
   */
  advance(durationMs: number): Promise<void>;
  /** Sets what `now` says forward, or back if below 0, as somebody does who corrects the time of a machine; timers do not notice. */
  jump(byMs: number): void;
  /** Timers that wait. */
  readonly timerCount: number;
  /** Moves on to whatever timer is next, if any; false when none waits. */
  advanceToNext(): Promise<boolean>;
}

interface WaitingTimer {
  readonly dueMs: number;
  readonly fire: () => void;
}

/** A manual clock that starts at `startMs` (2026-01-01 by default). */
export function createManualClock(startMs: number = Date.UTC(2026, 0, 1)): ManualClock {
  const timers = new Set<WaitingTimer>();
  let elapsedMs = 0;
  let jumpedMs = 0;
  const nextTimer = () => {
    let next: WaitingTimer | undefined;
    for (const timer of timers) if (next === undefined || timer.dueMs < next.dueMs) next = timer;
    return next;
  };
  const fireNext = async (timer: WaitingTimer) => {
    elapsedMs = Math.max(elapsedMs, timer.dueMs);
    timers.delete(timer);
    timer.fire();
    await settle();
  };
  return {
    now: () => startMs + jumpedMs + elapsedMs,
    monotonic: () => elapsedMs,
    startTimer: (delayMs, fire) => {
      const timer = { dueMs: elapsedMs + Math.max(0, delayMs), fire };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
    jump: (byMs) => {
      jumpedMs += byMs;
    },
    advance: async (durationMs) => {
      const untilMs = elapsedMs + durationMs;
      await settle();
      for (
        let next = nextTimer();
        next !== undefined && next.dueMs <= untilMs;
        next = nextTimer()
      ) {
        await fireNext(next);
      }
      elapsedMs = untilMs;
      await settle();
    },
    advanceToNext: async () => {
      await settle();
      const next = nextTimer();
      if (next === undefined) return false;
      await fireNext(next);
      return true;
    },
    get timerCount() {
      return timers.size;
    },
  };
}

/** Lets everything that is ready run: promises, then immediates, a few rounds of both. */
export async function settle(rounds = 20): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
