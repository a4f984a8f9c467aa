import type { CompactionFact, ModelCallFact, SessionNoteFact } from "../session-record.ts";

/** Where an entry of a session's record stands. */
interface RecordedEntry {
  readonly agent: string;
  readonly turn: number;
  readonly session: string;
  /** Hash of the text of the entry, which names the entry before it. */
  readonly ref: string;
}

/** A model has answered: the answer is in the journal and is never paid for twice. */
export interface ModelCalled extends RecordedEntry, ModelCallFact {}

/** What a model is shown of its session has become shorter; the record keeps all of it. */
export interface ContextCompacted extends RecordedEntry, CompactionFact {}

/** Something of a session was written down that it needs to go on from here. */
export interface SessionNoted extends RecordedEntry, SessionNoteFact {}

export type SessionRecordEvent = ModelCalled | ContextCompacted | SessionNoted;
