import type { RunRuntime } from "../../engine/run-runtime.ts";
import type { Timer } from "../../foundation/clock.ts";
import type { CollabCaller } from "../collab-door.ts";

/** How long calls wait, in ms. */
export interface WaitBounds {
  /** When their callers do not say. */
  readonly defaultMs: number;
  /** However long they say. */
  readonly maxMs: number;
}

/** A call that is to wait. */
export interface WantedWait {
  /** Undefined: its caller does not say. */
  readonly askedMs: number | undefined;
  /** How long its client lets it run, undefined where nobody knows. */
  readonly clientMs: number | undefined;
}

/** Whoever asks again and again finds out nothing sooner. */
const MIN_TIMEOUT_MS = 1000;
/** What clients are known to bear of which nothing is known: most give up after a minute. */
const UNKNOWN_CLIENT_MS = 50_000;
/** An answer has to come before its client gives up. */
const MARGIN_MS = 10_000;

/** How long a call really waits (COL-3, COL-15). */
export function effectiveTimeoutMs(
  { askedMs, clientMs }: WantedWait,
  { defaultMs, maxMs }: WaitBounds,
): number {
  const mostMs = clientMs === undefined ? UNKNOWN_CLIENT_MS : clientMs - MARGIN_MS;
  return Math.max(MIN_TIMEOUT_MS, Math.min(askedMs ?? defaultMs, mostMs, maxMs));
}

/** Whether something that events of the run bring about came to be so in time. Rejects when the caller's turn is over. */
export async function waitUntil(
  runtime: RunRuntime,
  isSo: () => boolean,
  {
    timeoutMs,
    caller,
  }: { readonly timeoutMs: number; readonly caller: Pick<CollabCaller, "wait"> },
): Promise<boolean> {
  if (isSo()) return true;
  let timer: Timer | undefined;
  let stopListening = () => {};
  const found = new Promise<boolean>((resolve) => {
    stopListening = runtime.onAppended(() => {
      if (isSo()) resolve(true);
    });
    timer = runtime.timers.startTimer(timeoutMs, () => resolve(isSo()));
  });
  try {
    return await caller.wait(found);
  } finally {
    timer?.cancel();
    stopListening();
  }
}
