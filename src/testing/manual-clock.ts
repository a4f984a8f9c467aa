import type { Clock } from "../foundation/clock.ts";
import { createVirtualTime } from "../foundation/virtual-time.ts";

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

/** A manual clock that starts at `startMs` (2026-01-01 by default). */
export function createManualClock(startMs: number = Date.UTC(2026, 0, 1)): ManualClock {
  const time = createVirtualTime(startMs);
  const { now, monotonic, startTimer, jump } = time;
  const fireUntil = async (untilMs: number) => {
    while ((time.nextDueMs ?? Infinity) <= untilMs) {
      time.fireNext();
      await settle();
    }
  };
  return {
    now,
    monotonic,
    startTimer,
    jump,
    advance: async (durationMs) => {
      const untilMs = monotonic() + durationMs;
      await settle();
      await fireUntil(untilMs);
      time.moveTo(untilMs);
      await settle();
    },
    advanceToNext: async () => {
      await settle();
      if (!time.fireNext()) return false;
      await settle();
      return true;
    },
    get timerCount() {
      return time.timerCount;
    },
  };
}

/** Lets everything that is ready run: promises, then immediates, a few rounds of both. */
export async function settle(rounds = 20): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
