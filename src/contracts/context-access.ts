import type { Json } from "../foundation/json.ts";

/** Calls one of Troupe's tools as the agent of a session; rejects with what the tool raises. */
export type SessionToolCall = (tool: string, input: Json) => Promise<Json>;

/**
 * How processes reach Troupe's tools: over a unix socket, or over HTTP on loopback as well. The socket costs
 * nothing that could be measured; the first port of a process costs some 10 ms.
 */
export type ContextReach = "socket" | "http";

/** Whose session is let in. */
export interface ContextVisitor {
  readonly run: string;
  /** Instance of the run; `agent@instance` is another way to name the agent. */
  readonly instance: string;
  readonly agent: string;
  /** Name of the session, unique in the run. */
  readonly session: string;
  /** Names of the tools that this agent may call. */
  readonly tools: readonly string[];
  readonly reach: ContextReach;
  readonly call: SessionToolCall;
}

/** How the processes of one session reach Troupe's tools. The token is theirs alone and ends with them. */
export interface ContextAccess {
  /** Secret that names the agent; never in an argument list, a log or a journal. */
  readonly token: string;
  /** Streamable HTTP on loopback: `http://127.0.0.1:PORT/mcp`. Absent where the socket is all that was asked for. */
  readonly url?: string;
  /** The same over a unix socket that only this user can open. */
  readonly socketPath: string;
  /** Tells connected clients that a message names their agent. */
  mention(mention: ContextMention): void;
  /** Gives another token in place of the one before, for backends whose every turn has a process of its own. */
  renew(): string;
  /** From here on the token is unknown. Idempotent. */
  close(): Promise<void>;
}

/** What a mention tells beside the wake-up (MCP-4, MCP-7). */
export interface ContextMention {
  readonly from: string;
  readonly target: string;
  readonly message: string;
  /** ISO time of the message. */
  readonly timestamp: string;
}

/** Lets the sessions of one run in from other processes. */
export interface ContextDoor {
  /** Begins listening if nobody was let in before. Raises MCP_* errors. */
  open(visitor: ContextVisitor): Promise<ContextAccess>;
}
