import { delay } from "../foundation/abort.ts";
import type { Clock } from "../foundation/clock.ts";
import { TroupeError } from "../foundation/errors.ts";
import { storeBusy } from "./errors.ts";

/** How long a locked journal is tried again before STORE_BUSY stands, in ms. */
const BUSY_LIMIT_MS = 2000;

const LONGEST_PAUSE_MS = 20;

/**
 * Repeats `attempt` from timers while it raises STORE_BUSY, for 2 s; then that error
 * stands. Rejects with the signal's reason when it aborts first.
 */
export async function retryWhileBusy<Value>(
  attempt: () => Value,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Value> {
  const untilMs = clock.monotonic() + BUSY_LIMIT_MS;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return attempt();
    } catch (error) {
      if (!isStoreBusy(error) || clock.monotonic() >= untilMs) throw error;
    }
    await delay(clock, pauseMs, signal);
  }
}

/** Whether an error says that another process holds the lock. */
export function isStoreBusy(error: unknown): boolean {
  return error instanceof TroupeError && error.code === storeBusy.code;
}
