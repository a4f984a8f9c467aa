import type { JournalEvent } from "../contracts/events/event.ts";
import type { NewEvent } from "../contracts/ports/store.ts";
import { type JournalPlace, storeCorrupt } from "./errors.ts";
import type { Seal } from "./seal.ts";

/** The place of the last event and the hash that the next row is chained to. */
export type ChainEnd = Seal;

/** The events of one open journal, whatever its format. Errors of SQLite come out as they are, except from `read`. */
export interface EventLog {
  last(): ChainEnd;
  /** Of the row that ends with this event; undefined where none does. That of 0 is known. */
  hashAt(seq: number): string | undefined;
  /** Of the first row; undefined for an empty journal. */
  firstHash(): string | undefined;
  /** Adds events after `last` and returns the new end. Raises STORE_CORRUPT unless they continue without a gap. */
  insert(events: readonly NewEvent[], last: ChainEnd): ChainEnd;
  /** Events after `afterSeq`, each checked before it is handed out. */
  read(afterSeq: number): Generator<JournalEvent, void, undefined>;
}

/** Raises STORE_CORRUPT when less than what was sealed is there, or something else. */
export function assertSealed(log: EventLog, seal: Seal, place: JournalPlace): void {
  const last = log.last();
  if (last.seq < seal.seq)
    throw corruptAfter(
      place,
      `events ${last.seq + 1} to ${seal.seq} are missing, which its seal says were written`,
      last.seq,
    );
  if (log.hashAt(seal.seq) === seal.hash) return;
  // The chain itself shows where the damage begins, unless all of it was replaced.
  for (const event of log.read(0)) if (event.seq === seal.seq) break;
  throw corruptAfter(place, `its events are not those that were sealed at ${seal.seq}`, 0);
}

/** STORE_CORRUPT: events are intact as far as `intactUpTo`. */
export function corruptAfter(place: JournalPlace, problem: string, intactUpTo: number): Error {
  return storeCorrupt({ ...place, problem, firstBadSeq: intactUpTo + 1, intactUpTo });
}
