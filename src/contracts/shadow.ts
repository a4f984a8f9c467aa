/** On what a shadow may be allowed to speak (MSG-10). */
export const SHADOW_TRIGGERS = [
  /** Every message that it gets, by whomever but shadows. */
  "ALL_MESSAGES",
  /** An agent or the program mentions it, or writes to it directly. */
  "EXPLICIT_ASK",
  /** The life of the agent that it watches is over. */
  "SESSION_END",
  /** A turn of the agent that it watches ends that has changed files. */
  "CODE_WRITTEN",
  /** A message of the agent that it watches has a line that begins with the word. */
  "REVIEW_REQUEST",
] as const;

export type ShadowTrigger = (typeof SHADOW_TRIGGERS)[number];

/** Ties an agent to another one whose messages it follows. */
export interface ShadowBinding {
  /** Id of the agent that it watches. */
  readonly of: string;
  /** Whether it gets copies of what lands in the inbox of that agent. */
  readonly receiveIncoming: boolean;
  /** Whether it gets copies of what that agent writes. */
  readonly receiveOutgoing: boolean;
  readonly speakOn: readonly ShadowTrigger[];
}

/** Why a message that is somebody else's lies in an inbox. */
export interface MessageCopy {
  /** The agent that is watched. */
  readonly of: string;
  readonly direction: "incoming" | "outgoing";
}
