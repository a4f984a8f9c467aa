/**
 * Owns one state that is folded forward, and snapshots of it to go back to.
 *
 * V1 A move folds at most one interval of events; 500 of them up to 12,000 events.
 * V2 There are at most 25 snapshots, however long the run is: each is a copy of all that the run holds.
 */
import type { JournalEvent } from "../../../contracts/events/event.ts";
import { fold } from "../../../fold/fold.ts";
import { emptyRunState, type RunState } from "../../../fold/state/run-state.ts";

/** The states of a run after any number of its events. */
export interface TimeTravel {
  /** The state after the first `count` events; read only, and valid until the next call. */
  stateAfter(count: number): RunState;
}

/** How snapshots are made. */
export interface SnapshotOptions {
  /** Events between two of them, at the least. Defaults to 500. */
  readonly intervalEvents?: number;
  /** Defaults to 25. */
  readonly maxSnapshots?: number;
}

/** Travels through a run. `events` is its journal in order; more may be pushed to it at its end. */
export function createTimeTravel(
  run: string,
  events: readonly JournalEvent[],
  { intervalEvents = 500, maxSnapshots = 25 }: SnapshotOptions = {},
): TimeTravel {
  let snapshots = new Map<number, RunState>();
  let interval = intervalEvents;
  let state = emptyRunState(run);
  let folded = 0;

  const widen = () => {
    if (events.length / interval < maxSnapshots) return;
    while (events.length / interval >= maxSnapshots) interval *= 2;
    snapshots = new Map([...snapshots].filter(([count]) => count % interval === 0));
  };
  const goBackTo = (count: number) => {
    let start = count - (count % interval);
    while (start > 0 && !snapshots.has(start)) start -= interval;
    const snapshot = snapshots.get(start);
    state = snapshot === undefined ? emptyRunState(run) : structuredClone(snapshot);
    folded = snapshot === undefined ? 0 : start;
  };

  return {
    stateAfter: (count) => {
      widen();
      const wanted = Math.max(0, Math.min(count, events.length));
      const isBehind = wanted < folded;
      const isFarAhead = wanted - folded > interval && snapshots.has(wanted - (wanted % interval));
      if (isBehind || isFarAhead) goBackTo(wanted);
      for (; folded < wanted; folded += 1) {
        const event = events[folded];
        if (event !== undefined) fold(state, event);
        const isDue = (folded + 1) % interval === 0 && !snapshots.has(folded + 1);
        if (isDue) snapshots.set(folded + 1, structuredClone(state));
      }
      return state;
    },
  };
}
