import type { Message } from "../../contracts/message.ts";
import type { MessageCopy } from "../../contracts/shadow.ts";

/** All messages of a run in the order of the journal. The lists share their elements. */
export interface MessagesState {
  readonly all: Message[];
  readonly byId: Map<string, Message>;
  /** Messages that were posted with a key. */
  readonly byKey: Map<string, Message>;
  /** Without direct messages. */
  readonly byChannel: Map<string, Message[]>;
  readonly bySender: Map<string, Message[]>;
  /** When each author wrote last, be it into a document; so many times as one may write within a minute. */
  readonly writtenAt: Map<string, number[]>;
  /** Direct messages, by the lower-case ids of their addressees. */
  readonly byAddressee: Map<string, Message[]>;
  /** Hashes of the long texts that messages refer to. */
  readonly bodies: Set<string>;
}

/** A message that waits for its reader or stands in front of it. */
export interface MailboxItem {
  readonly id: string;
  readonly seq: number;
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
