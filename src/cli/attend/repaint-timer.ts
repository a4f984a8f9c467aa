import type { Clock, Timer } from "../../foundation/clock.ts";

/** At most ten pictures in a second. */
const MIN_INTERVAL_MS = 100;

/** Paints when something has changed, at most ten times a second, and again when the picture says so. */
export interface RepaintTimer {
  /** Something has changed. */
  request(): void;
  /** Paints at once. */
  now(): void;
  /** Ends it; nothing is painted afterwards. */
  close(): void;
}

/**
 * A timer around `paint`, which returns after how many ms it wants to be called again though nothing changes;
 * undefined for never.
 */
export function createRepaintTimer(clock: Clock, paint: () => number | undefined): RepaintTimer {
  let waiting: { readonly timer: Timer; readonly atMs: number } | undefined;
  let earliestMs = 0;
  let isClosed = false;
  const wait = (atMs: number) => {
    if (isClosed || (waiting !== undefined && waiting.atMs <= atMs)) return;
    waiting?.timer.cancel();
    waiting = { timer: clock.startTimer(Math.max(0, atMs - clock.monotonic()), now), atMs };
  };
  const now = () => {
    waiting?.timer.cancel();
    waiting = undefined;
    if (isClosed) return;
    const paintedAtMs = clock.monotonic();
    earliestMs = paintedAtMs + MIN_INTERVAL_MS;
    const restMs = paint();
    if (restMs !== undefined) wait(Math.max(paintedAtMs + restMs, earliestMs));
  };
  return {
    request: () => wait(Math.max(clock.monotonic(), earliestMs)),
    now,
    close: () => {
      isClosed = true;
      waiting?.timer.cancel();
    },
  };
}
