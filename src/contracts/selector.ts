/** Which facts a program listens to. A fact matches when it fits every member that is given. */
export interface Selector {
  readonly kinds: readonly SelectorKind[];
  readonly from?: readonly string[];
  readonly to?: readonly string[];
  readonly channel?: string;
  /** Kinds of signals, one of which must be carried. */
  readonly signals?: readonly string[];
}

export type SelectorKind =
  | "message"
  | "turn-started"
  | "turn-ended"
  /** An agent is spawned, has a session that is ready, has another status, or has exited. */
  | "agent-status"
  | "agent-exited"
  | "request"
  | "signal"
  | "child-ended"
  | "document"
  /** An agent changed a file. */
  | "file"
  /** A message was given up. */
  | "dead-letter";

/** A place in the stream of facts that match a selector. */
export interface Subscription {
  readonly selector: Selector;
  /** Seq of the last fact that was handed out, or of the last outcome before. */
  readonly cursor: number;
}
