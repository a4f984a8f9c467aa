import type { Message } from "../../contracts/message.ts";
import type { MessageCopy } from "../../contracts/shadow.ts";
import { createTextIndex, type TextIndex } from "../../foundation/text-index.ts";

/**
 * The messages of a run: the newest ones, and the places of all in the journal. What is not among the newest any more
 * is read there (`findMessage` and its like): that is why lists hold places, in ascending order.
 */
export interface MessagesState {
  count: number;
  /** The newest ones in the order of the journal, all of them unless `most` says otherwise. */
  readonly recent: Message[];
  /** UTF-16 units of their texts. */
  recentChars: number;
  /** How many are kept at least; Infinity for all. With 0 nothing is known of them but how many there are, and the last one. */
  readonly most: number;
  /** By id. */
  readonly ids: TextIndex;
  /** Those that were posted with a key, by it. */
  readonly keys: TextIndex;
  /** Without direct messages. */
  readonly byChannel: Map<string, number[]>;
  /** What went into an inbox, by the lower-case id of its owner: direct messages, and those of a channel that name it. */
  readonly byReader: Map<string, number[]>;
  /** When each author wrote last, be it into a document; so many times as one may write within a minute. */
  readonly writtenAt: Map<string, number[]>;
  /** Hashes of the long texts that messages and results of tools refer to. */
  readonly bodies: Set<string>;
}

/** No messages; of those to come the newest `most` are kept at least. */
export function createMessagesState(most: number): MessagesState {
  return {
    count: 0,
    recent: [],
    recentChars: 0,
    most,
    ids: createTextIndex(),
    keys: createTextIndex(),
    byChannel: new Map(),
    byReader: new Map(),
    writtenAt: new Map(),
    bodies: new Set(),
  };
}

/** Of how many writes of an author the times are known. */
export const KNOWN_WRITES = 120;

/** Remembers that somebody wrote: a message or a change of a document. `at` is in milliseconds since the epoch. */
export function rememberWrite(messages: MessagesState, author: string, at: number): void {
  const times = messages.writtenAt.get(author);
  if (times === undefined) messages.writtenAt.set(author, [at]);
  else if (times.push(at) > KNOWN_WRITES) times.shift();
}

/** A message that waits for its reader or stands in front of it. */
export interface MailboxItem {
  readonly id: string;
  readonly seq: number;
  /** Id of its author. */
  readonly from: string;
  /** Set when it was sent to somebody else, or to nobody. */
  readonly copy: MessageCopy | undefined;
  /** Whether it alone is worth a turn. What does not wake is taken by the next turn. */
  wakes: boolean;
  /** Turns that took it and did not end well. */
  attempts: number;
  /** The turn that has taken it; pending without one. */
  turn: number | undefined;
}

/** What one agent has not dealt with yet. */
export interface Mailbox {
  /** The id as it was first written. */
  readonly agent: string;
  /** Pending and taken ones together, in the order of the journal: a taken item keeps its place. */
  readonly items: Map<string, MailboxItem>;
  readonly takenByTurn: Map<number, string[]>;
  pending: number;
  /** Pending ones that wake. */
  waking: number;
}

/** A message that was given up. */
export interface DeadLetter {
  readonly agent: string;
  readonly id: string;
  readonly attempts: number;
  readonly seq: number;
  /** Id of its author. */
  readonly from: string;
  /** True if it was a copy for a shadow, which was sent to another agent. */
  readonly isCopy: boolean;
}

/** A shared text at its latest revision. */
export interface DocumentState {
  readonly name: string;
  readonly revision: number;
  readonly text: string;
  readonly by: string;
  /** The agent that claimed it. */
  readonly owner: string | undefined;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  readonly seq: number;
}

/** The shared documents of a run. */
export interface DocumentsState {
  readonly byName: Map<string, DocumentState>;
  /** Revisions that edits with a key led to. */
  readonly revisionByKey: Map<string, { readonly name: string; readonly revision: number }>;
}
