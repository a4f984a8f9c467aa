import type { Json } from "../foundation/json.ts";
import type { MessageBody } from "./message.ts";
import type { Usage } from "./usage.ts";

/** Begins what a session is resumed with whose record begins with that of another agent, whose id follows. */
export const FORK_MARK = "fork of ";

/** A model has answered. */
export interface ModelCallFact {
  readonly type: "model-called";
  /** Counts the calls of the turn from 1; those that summarise count too. */
  readonly call: number;
  readonly model: string;
  /** Hash of what the model was asked. */
  readonly request: string;
  readonly usage?: Usage;
}

/** What the model is shown of its session has become shorter. */
export interface CompactionFact {
  readonly type: "context-compacted";
  /** Tokens of the context, as estimated. */
  readonly before: number;
  readonly after: number;
}

/** Something else that the session needs to go on from here. */
export interface SessionNoteFact {
  readonly type: "session-noted";
  /** `told`: somebody spoke to the model. `tool-started`: from here on it may have had its effect. */
  readonly what: "told" | "tool-started" | "tool-ended" | "answer-cut";
  /** The call of the tool. */
  readonly call?: string;
  /** Where all of a result lies that shows a part of it. */
  readonly rest?: MessageBody;
}

/** A long text that a session has kept. */
export interface KeptRest extends MessageBody {
  /** As it was kept. */
  readonly text: string;
}

/** What an entry of a session's record is about, as the journal shows it. */
export type SessionFact = ModelCallFact | CompactionFact | SessionNoteFact;

/**
 * What a session keeps of itself in the journal of its run, so that it can go on from any point: entries in the order
 * in which they were kept. Only sessions whose loop is Troupe's own have use for it.
 */
export interface SessionRecord {
  /** The entries from the last one on that `isStart` takes for a beginning, oldest first. Raises AGENT_RECORD_LOST, STORE_*. */
  read(isStart: (entry: Json) => boolean): readonly Json[];
  /**
   * Keeps a long text, durable with the entry that is kept next, and says where it lies; undefined once the agent has kept
   * as much as one may. Secrets in it are masked.
   */
  keepRest(text: string): KeptRest | undefined;
  /**
   * Keeps an entry of a turn, and gives it as it was kept: without secrets. Entries are in the order of the calls. Raises
   * AGENT_RECORD_LOST for one that could not be read again.
   */
  keep(turn: number, fact: SessionFact, entry: Json): Json;
  /** Resolves once all that was kept is durable; rejects with ENGINE_NOT_RECORDED when it cannot be. */
  flushed(): Promise<void>;
}
