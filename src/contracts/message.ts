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
  readonly text: string;
  /** Ids of the agents that the text names, without the sender. */
  readonly mentions: readonly string[];
  readonly threadId?: string;
  /** Kinds of the signals in the text. */
  readonly signals: readonly string[];
  /** Cut off the addressees' turns instead of waiting for their end. */
  readonly interrupt?: boolean;
}

/** What a sender decides about a message; the sender itself is never an argument. */
export interface MessageDraft {
  readonly text: string;
  readonly to?: readonly string[];
  readonly channel?: string;
  readonly threadId?: string;
  readonly interrupt?: boolean;
}

/** What the sender learns. */
export interface PostReceipt {
  readonly id: string;
  readonly seq: number;
  /** Agents that will get it in their inbox. */
  readonly recipients: readonly string[];
  /** Names after an `@` that nobody has. */
  readonly unknownMentions: readonly string[];
  /** Id of the question in the inbox, when the message asks a person. */
  readonly question?: string;
}
