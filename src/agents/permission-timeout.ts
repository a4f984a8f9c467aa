import type { RunRuntime } from "../engine/run-runtime.ts";
import { findItem } from "../fold/waiting.ts";
import type { Timer } from "../foundation/clock.ts";
import { formatDuration, leftMs } from "../foundation/duration.ts";
import { toIsoTime } from "../foundation/iso-time.ts";

/** How long permission requests wait for a person, and what they come to then. */
export interface PermissionTimeout {
  readonly afterMs: number;
  readonly decision: "allowed" | "denied";
}

/**
 * When a request decides itself: counted from when it was first asked, also by a turn that was cut off and
 * asks again. An ISO time; undefined without a time-out.
 */
export function expiryOf(
  { state, timers }: RunRuntime,
  id: string,
  timeout: PermissionTimeout | undefined,
): string | undefined {
  if (timeout === undefined) return undefined;
  const askedAt = findItem(state, id)?.createdAt ?? timers.now();
  return toIsoTime(askedAt + timeout.afterMs);
}

/** Decides an open request once its time is over. The caller ends the timer. */
export function startPermissionTimeout(
  runtime: RunRuntime,
  id: string,
  { afterMs, decision }: PermissionTimeout,
): Timer | undefined {
  const { state, timers } = runtime;
  const item = findItem(state, id);
  if (item === undefined) return undefined;
  const comment = `nobody decided within ${formatDuration(afterMs)}`;
  const decide = () => {
    if (!state.resolved.has(id))
      runtime.append({ type: "permission-resolved", id, decision, by: "timeout", comment });
  };
  const remainingMs = leftMs(item.createdAt, afterMs, timers.now());
  if (remainingMs > 0) return timers.startTimer(remainingMs, decide);
  // It fell due while nobody ran the run, which must not be let go again before that has counted.
  decide();
  return undefined;
}
