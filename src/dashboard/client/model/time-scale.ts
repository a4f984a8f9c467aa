/** A stretch of time in which nothing happened, drawn shorter than it was. */
export interface TimeGap {
  /** Where it lies, as a part of the width from 0 to 1. */
  readonly place: number;
  readonly durationMs: number;
}

/** Places times side by side: evenly, but for long gaps. */
export interface TimeScale {
  /** Where a time lies, from 0 to 1. */
  place(atMs: number): number;
  readonly gaps: readonly TimeGap[];
  /** Time that is drawn at its length. */
  readonly shownMs: number;
}

// Shorter pauses, and those that leave enough room for the rest, are drawn as they were.
const SHORTEST_CUT_MS = 30_000;
const LONGEST_GAP_PART = 0.2;
const CUT_PART = 0.04;

/** When events happened, and whether anybody worked until then. */
export interface ScaleEvent {
  readonly atMs: number;
  readonly isBusyBefore: boolean;
}

/**
 * A scale over events in the order of the journal. Long pauses in which nobody works are cut; a clock that
 * jumped back stands still.
 */
export function createTimeScale(events: readonly ScaleEvent[]): TimeScale {
  const times: number[] = [];
  for (const { atMs } of events) times.push(Math.max(atMs, times.at(-1) ?? atMs));
  const gaps = times.map((time, index) => time - (times[index - 1] ?? time));
  const cut = findCuts(gaps, events);
  const keptMs = gaps.reduce((sum, gap, index) => sum + (cut.has(index) ? 0 : gap), 0);
  const cutMs = Math.max(1000, keptMs * CUT_PART);
  const places: number[] = [];
  let totalMs = 0;
  for (const [index, gap] of gaps.entries()) {
    totalMs += cut.has(index) ? cutMs : gap;
    places.push(totalMs);
  }
  const whole = Math.max(1, totalMs);
  const placeOfIndex = (index: number) => (places[index] ?? 0) / whole;
  return {
    shownMs: totalMs,
    gaps: [...cut].map((index) => ({
      place: (placeOfIndex(index - 1) + placeOfIndex(index)) / 2,
      durationMs: gaps[index] ?? 0,
    })),
    place: (atMs) => {
      const after = firstAfter(times, atMs);
      if (after === 0) return 0;
      if (after >= times.length) return 1;
      const [from, to] = [times[after - 1] ?? 0, times[after] ?? 0];
      const part = (atMs - from) / Math.max(1, to - from);
      const [left, right] = [placeOfIndex(after - 1), placeOfIndex(after)];
      return left + (right - left) * part;
    },
  };
}

/** Indexes of the gaps that are cut, the longest first as long as one is too large a part of what remains. */
function findCuts(gaps: readonly number[], events: readonly ScaleEvent[]): ReadonlySet<number> {
  const idle = gaps
    .map((gap, index) => ({ gap, index }))
    .filter(({ gap, index }) => gap > SHORTEST_CUT_MS && events[index]?.isBusyBefore === false)
    .sort((left, right) => right.gap - left.gap);
  const cut: number[] = [];
  let remainingMs = gaps.reduce((sum, gap) => sum + gap, 0);
  for (const { gap, index } of idle) {
    if (gap <= remainingMs * LONGEST_GAP_PART) break;
    cut.push(index);
    remainingMs -= gap;
  }
  return new Set(cut.sort((left, right) => left - right));
}

function firstAfter(times: readonly number[], atMs: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? Infinity) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
