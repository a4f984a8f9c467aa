/** A timer that its owner ends. Ending one that has fired or ended does nothing. */
export interface Timer {
  cancel(): void;
}

/** The only source of time. Tests put a manual clock in its place. */
export interface Clock {
  /** Milliseconds since the epoch; may jump. For labels and calendar times. */
  now(): number;
  /** Milliseconds of a clock that never runs backwards. For durations and deadlines. */
  monotonic(): number;
  /** Calls `fire` once after `delayMs`, of any length. A running timer keeps the process alive. */
  startTimer(delayMs: number, fire: () => void): Timer;
}

// Node fires at once when asked for more than 2^31-1 ms; longer waits are made of several.
const LONGEST_TIMEOUT_MS = 2_147_483_647;

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  startTimer: (delayMs, fire) => startSystemTimer(Math.max(0, delayMs), fire),
};

function startSystemTimer(delayMs: number, fire: () => void): Timer {
  let remainingMs = delayMs;
  const wait = (): NodeJS.Timeout => {
    const partMs = Math.min(remainingMs, LONGEST_TIMEOUT_MS);
    return setTimeout(() => {
      remainingMs -= partMs;
      if (remainingMs > 0) handle = wait();
      else fire();
    }, partMs);
  };
  let handle = wait();
  return { cancel: () => clearTimeout(handle) };
}
