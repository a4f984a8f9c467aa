// Long enough to see what happens, short enough to wait for.
const WHOLE_RUN_MS = 20_000;
const SLOWEST_EVENTS_PER_SECOND = 4;

/** Events that pass per second, so that a run of any length is over in about 20 s; `speed` is a factor. */
export function eventsPerSecond(eventCount: number, speed: number): number {
  return speed * Math.max(SLOWEST_EVENTS_PER_SECOND, (eventCount * 1000) / WHOLE_RUN_MS);
}
