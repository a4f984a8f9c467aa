import type { Timers } from "../engine/ports.ts";
import { rejectOnAbort } from "../foundation/abort.ts";

/** How long a backend may take to end what it was told to end. */
const STOP_GRACE_MS = 10_000;

/** A signal that aborts when another one has done so and the grace has passed. */
export interface GraceWatch {
  readonly overdue: AbortSignal;
  stop(): void;
}

/** Watches a signal; whoever asks for it must stop it. */
export function watchGrace(signal: AbortSignal, timers: Timers): GraceWatch {
  const overdue = new AbortController();
  let cancelTimer = () => {};
  const startTimer = () => {
    const timer = timers.startTimer(STOP_GRACE_MS, () => overdue.abort(signal.reason));
    cancelTimer = () => timer.cancel();
  };
  if (signal.aborted) startTimer();
  else signal.addEventListener("abort", startTimer, { once: true });
  return {
    overdue: overdue.signal,
    stop: () => {
      signal.removeEventListener("abort", startTimer);
      cancelTimer();
    },
  };
}

/** What `work` comes to; rejects with the signal's reason when that takes longer than the grace after it. */
export async function withinGrace<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  timers: Timers,
): Promise<Result> {
  const watch = watchGrace(signal, timers);
  const left = rejectOnAbort(watch.overdue);
  try {
    return await Promise.race([work, left.promise]);
  } finally {
    left.stop();
    watch.stop();
  }
}
