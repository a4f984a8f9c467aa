import type { Clock, Timer } from "./clock.ts";

/** A promise that never resolves and rejects with the signal's reason; `stop` ends its listening. */
export function rejectOnAbort(signal: AbortSignal): {
  readonly promise: Promise<never>;
  stop(): void;
} {
  let stop = () => {};
  const promise = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    stop = () => signal.removeEventListener("abort", abort);
  });
  // Whoever races this promise sees its error; after the race nobody may be left listening.
  promise.catch(() => {});
  return { promise, stop: () => stop() };
}

/** Waits `delayMs`; rejects with the signal's reason when it aborts first. */
export function delay(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    let timer: Timer | undefined;
    const abort = () => {
      timer?.cancel();
      reject(signal.reason);
    };
    timer = clock.startTimer(delayMs, () => {
      signal.removeEventListener("abort", abort);
      resolve();
    });
    signal.addEventListener("abort", abort, { once: true });
  });
}
