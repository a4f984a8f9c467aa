import type { MessageCopy } from "./shadow.ts";
import type { TurnTerms } from "./turn-terms.ts";

/** The main channel of every run. */
export const MAIN_CHANNEL = "main";

/** One message of a run. */
export interface Message {
  /** A ULID. */
  readonly id: string;
  /** Position in the run's journal: the only order. */
  readonly seq: number;
  /** ISO time with milliseconds; a label. */
  readonly timestamp: string;
  /** The authenticated sender: an agent's id, `user` or `system`. */
  readonly from: string;
  /** Addressees of a direct message; else the message is in `channel`. */
  readonly to?: readonly string[];
  readonly channel?: string;
  /** With `body` it may be only the beginning. */
  readonly text: string;
  /** Where the whole text lies when it is too long to travel. */
  readonly body?: MessageBody;
  /** Ids of the agents that the text names, without the sender. */
  readonly mentions: readonly string[];
  readonly threadId?: string;
  /** Kinds of the signals in the text. */
  readonly signals: readonly string[];
  /** Cut off the addressees' turns instead of waiting for their end. */
  readonly interrupt?: boolean;
  /** How the turn works that takes it. */
  readonly terms?: TurnTerms;
}

/** A message as its reader gets it. */
export interface ReceivedMessage extends Message {
  /** Present when it was sent to somebody else, or to nobody. */
  readonly copy?: MessageCopy;
}

/** A text that lies in the journal under its hash. Mentions and signals of its message are those of the whole. */
export interface MessageBody {
  /** SHA-256 in lower-case hexadecimal. */
  readonly ref: string;
  /** Of the whole text in UTF-8. */
  readonly sizeBytes: number;
}

/** What a sender decides about a message; the sender itself is never an argument. */
export interface MessageDraft {
  readonly text: string;
  readonly to?: readonly string[];
  readonly channel?: string;
  readonly threadId?: string;
  readonly interrupt?: boolean;
  /** How the turn works that takes it: only people say so. */
  readonly terms?: TurnTerms;
}

/** A message of the program itself. */
export interface SystemDraft extends MessageDraft {
  /** The part of the text that may mention somebody: the rest comes from outside. Defaults to all of it. */
  readonly mentionsIn?: string;
}

/** What the sender learns. */
export interface PostReceipt {
  readonly id: string;
  readonly seq: number;
  /** Agents that will get it in their inbox. */
  readonly recipients: readonly string[];
  /** Names after an `@` that nobody has. */
  readonly unknownMentions: readonly string[];
  /** Whom the text names although its author may not write to them; absent when nobody. */
  readonly refusedMentions?: readonly string[];
  /** Id of the question in the inbox, when the message asks a person. */
  readonly question?: string;
}

/** A draft of a sender that says how far it has read (MSG-6). */
export interface OptimisticDraft extends MessageDraft {
  /** Seq of the last message that the sender knows; nothing is posted when others have written since. */
  readonly lastSeen?: number;
  /** Post whatever others have written. Defaults to false. */
  readonly force?: boolean;
}

/** What became of an optimistic draft. `behind`: nothing was posted; the sender has not read these yet. */
export type PostResult =
  | ({ readonly status: "posted" } & PostReceipt)
  | {
      readonly status: "behind";
      /** What others have written since, oldest first; the first ones only when `hasMore`. */
      readonly messages: readonly Message[];
      /** What to pass as `lastSeen` once these are read. */
      readonly next: number;
      readonly hasMore: boolean;
    };

/** A stretch of a text that lies in the journal. Offsets count UTF-16 units. */
export interface ResourcePart {
  readonly ref: string;
  readonly text: string;
  readonly offset: number;
  /** Where to go on; absent at the end. */
  readonly next?: number;
  readonly totalChars: number;
}
