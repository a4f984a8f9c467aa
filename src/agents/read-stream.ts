import type { TurnUpdate } from "../contracts/backend.ts";
import type { Timers } from "../engine/ports.ts";
import { rejectOnAbort } from "../foundation/abort.ts";

/** How long a backend may take to end a turn that was told to. */
const STOP_GRACE_MS = 10_000;

/** What to do with a stream of updates. */
export interface StreamReading {
  readonly updates: AsyncIterable<TurnUpdate>;
  /** Tells the backend to end the turn. */
  readonly signal: AbortSignal;
  readonly timers: Timers;
  readonly take: (update: TurnUpdate) => void;
}

/**
 * Reads a turn's stream to its end. A backend that does not end it in time after the signal is left
 * behind: the result is then false, and its session must be closed.
 */
export async function readStream(reading: StreamReading): Promise<boolean> {
  const { updates, signal, timers, take } = reading;
  const overdue = new AbortController();
  const stopWatch = watchOverdue(signal, timers, overdue);
  const left = rejectOnAbort(overdue.signal);
  const iterator = updates[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), left.promise]);
      if (next.done === true) return true;
      take(next.value);
    }
  } catch (error) {
    if (overdue.signal.aborted) return false;
    throw error;
  } finally {
    left.stop();
    stopWatch();
  }
}

function watchOverdue(signal: AbortSignal, timers: Timers, overdue: AbortController): () => void {
  let cancelTimer = () => {};
  const startTimer = () => {
    const timer = timers.startTimer(STOP_GRACE_MS, () => overdue.abort());
    cancelTimer = () => timer.cancel();
  };
  if (signal.aborted) startTimer();
  else signal.addEventListener("abort", startTimer, { once: true });
  return () => {
    signal.removeEventListener("abort", startTimer);
    cancelTimer();
  };
}
