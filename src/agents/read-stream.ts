import type { TurnUpdate } from "../contracts/backend.ts";
import type { Timers } from "../engine/ports.ts";
import { rejectOnAbort } from "../foundation/abort.ts";
import { watchGrace } from "./stop-grace.ts";

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
  const watch = watchGrace(signal, timers);
  const left = rejectOnAbort(watch.overdue);
  const iterator = updates[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), left.promise]);
      if (next.done === true) return true;
      take(next.value);
    }
  } catch (error) {
    if (watch.overdue.aborted) return false;
    throw error;
  } finally {
    left.stop();
    watch.stop();
  }
}
