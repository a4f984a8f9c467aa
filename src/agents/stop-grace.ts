import type { Timers } from "../engine/ports.ts";
import type { Timer } from "../foundation/clock.ts";

/** How long a backend may take to end what it was told to end. */
const STOP_GRACE_MS = 10_000;

/** The time that a backend has to end something, once a signal has told it to. */
export interface Grace {
  /** Rejects with the signal's reason when the grace has passed; never resolves. */
  readonly passed: Promise<never>;
  readonly hasPassed: boolean;
  stop(): void;
}

/** Watches a signal; whoever asks for it must stop it. */
export function watchGrace(signal: AbortSignal, timers: Timers): Grace {
  // No signal of its own: each turn has three of these, and hardly any passes.
  const { promise: passed, reject } = Promise.withResolvers<never>();
  // Whoever races it sees its error; after the race nobody may be left listening.
  passed.catch(() => {});
  let hasPassed = false;
  let timer: Timer | undefined;
  const startTimer = () => {
    timer = timers.startTimer(STOP_GRACE_MS, () => {
      hasPassed = true;
      reject(signal.reason);
    });
  };
  if (signal.aborted) startTimer();
  else signal.addEventListener("abort", startTimer, { once: true });
  return {
    passed,
    get hasPassed() {
      return hasPassed;
    },
    stop: () => {
      signal.removeEventListener("abort", startTimer);
      timer?.cancel();
    },
  };
}

/** What `work` comes to; rejects with the signal's reason when that takes longer than the grace after it. */
export async function withinGrace<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  timers: Timers,
): Promise<Result> {
  const grace = watchGrace(signal, timers);
  try {
    return await Promise.race([work, grace.passed]);
  } finally {
    grace.stop();
  }
}
