import type { JournalEvent } from "../contracts/events/event.ts";
import type { NewEvent } from "../contracts/ports/store.ts";

/** The place of the last event and the hash that the next row is chained to. */
export interface ChainEnd {
  readonly seq: number;
  readonly hash: string;
}

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
