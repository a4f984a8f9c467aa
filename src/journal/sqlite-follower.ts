import type { JournalEvent } from "../contracts/events/event.ts";
import type { JournalFollower } from "../contracts/ports/store.ts";
import { delay } from "../foundation/abort.ts";
import type { Clock } from "../foundation/clock.ts";
import { isStoreBusy } from "./busy-retry.ts";
import type { SqliteJournal } from "./sqlite-journal.ts";

/** How a journal is watched. */
export interface FollowOptions {
  readonly clock: Clock;
  readonly pollMs: number;
  readonly afterSeq: number;
}

// Memory stays bounded when somebody follows a long run from its beginning.
const MOST_EVENTS_AT_ONCE = 1000;

/** Follows a journal that it then owns and closes. One call of `next` at a time. */
export function createSqliteFollower(
  journal: SqliteJournal,
  { clock, pollMs, afterSeq }: FollowOptions,
): JournalFollower {
  const closed = new AbortController();
  let cursor = afterSeq;
  let seenVersion: number | undefined;
  const readNew = (): readonly JournalEvent[] => {
    // The version is taken before the events: what is committed in between is found again, not missed.
    const version = journal.dataVersion();
    if (version === seenVersion) return [];
    const events = takeFirst(journal.read(cursor));
    if (events.length < MOST_EVENTS_AT_ONCE) seenVersion = version;
    cursor = events.at(-1)?.seq ?? cursor;
    return events;
  };
  return {
    next: async (signal) => {
      const either = AbortSignal.any([signal, closed.signal]);
      for (;;) {
        either.throwIfAborted();
        const events = unlessBusy(readNew);
        if (events.length > 0) return events;
        await delay(clock, pollMs, either);
      }
    },
    close: () => {
      closed.abort();
      journal.close();
    },
  };
}

function takeFirst(events: Iterable<JournalEvent>): readonly JournalEvent[] {
  const taken: JournalEvent[] = [];
  for (const event of events) {
    taken.push(event);
    if (taken.length === MOST_EVENTS_AT_ONCE) break;
  }
  return taken;
}

// Another process that recovers the log keeps readers out for a moment; the next poll will do.
function unlessBusy(read: () => readonly JournalEvent[]): readonly JournalEvent[] {
  try {
    return read();
  } catch (error) {
    if (isStoreBusy(error)) return [];
    throw error;
  }
}
