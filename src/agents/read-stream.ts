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
    // One race for the whole stream: each race with a promise that waits on keeps its own result alive.
    await Promise.race([takeAll(iterator, watch.overdue, take), left.promise]);
    return true;
  } catch (error) {
    if (watch.overdue.aborted) return false;
    throw error;
  } finally {
    left.stop();
    watch.stop();
  }
}

async function takeAll(
  iterator: AsyncIterator<TurnUpdate>,
  left: AbortSignal,
  take: StreamReading["take"],
): Promise<void> {
  for (;;) {
    const next = await iterator.next();
    if (left.aborted || next.done === true) return;
    take(next.value);
  }
}
