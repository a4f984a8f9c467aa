import type { Message } from "../message.ts";
import type { MessageCopy, ShadowTrigger } from "../shadow.ts";

/** A message is in the run; its seq is the event's. */
export interface MessagePosted extends Omit<Message, "seq" | "timestamp"> {
  readonly type: "message-posted";
  /** Recognises the same message when its sender's turn is attempted again. */
  readonly key?: string;
}

/** A shadow gets a copy of a message; by itself it wakes nobody. */
export interface MessageCopied extends MessageCopy {
  readonly type: "message-copied";
  /** The shadow. */
  readonly agent: string;
  readonly id: string;
}

/** A shadow may speak, because of a message in its inbox. */
export interface ShadowCalled {
  readonly type: "shadow-called";
  readonly agent: string;
  /** Of the message. */
  readonly id: string;
  readonly trigger: ShadowTrigger;
}

/** Messages stand in the prompt of a turn. */
export interface MessageDelivered {
  readonly type: "message-delivered";
  readonly agent: string;
  readonly ids: readonly string[];
  readonly turn: number;
}

/** The agent has dealt with these messages. */
export interface MessageAcked {
  readonly type: "message-acked";
  readonly agent: string;
  readonly ids: readonly string[];
}

/** A message was given up after too many attempts; shown, never dropped. */
export interface MessageDead {
  readonly type: "message-dead";
  readonly agent: string;
  readonly id: string;
  readonly attempts: number;
}

/** A shared document has a new revision. */
export interface DocumentChanged {
  readonly type: "document-changed";
  readonly document: string;
  readonly revision: number;
  readonly by: string;
  /** The whole new text, or only what was added at its end. */
  readonly change: { readonly kind: "write" | "append"; readonly text: string };
  /** The agent that owns the document from this revision on; absent when nothing changes about that. */
  readonly owner?: string;
  readonly key?: string;
}

export type MessagingEvent =
  | MessagePosted
  | MessageCopied
  | ShadowCalled
  | MessageDelivered
  | MessageAcked
  | MessageDead
  | DocumentChanged;
