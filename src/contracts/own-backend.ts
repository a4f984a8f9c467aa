import type { Clock } from "../foundation/clock.ts";
import type {
  AgentBackend,
  AgentSession,
  SessionRequest,
  TurnRequest,
  TurnUpdate,
} from "./backend.ts";
import type { Host } from "./host.ts";
import type { TurnClient } from "./turn-client.ts";

/** One turn of a session that Troupe keeps for a backend of one's own. */
export interface BackendTurn {
  readonly request: TurnRequest;
  /** Aborts when the turn is cut off, the session is closed or nobody reads any more. */
  readonly signal: AbortSignal;
  /** What the agent may ask of Troupe, until the turn is over. */
  readonly client: TurnClient;
  /** Tells what happens while the turn runs: text, tools, use. */
  emit(update: Exclude<TurnUpdate, { readonly type: "stop" | "error" }>): void;
}

/** What a backend of one's own is made of, once for each run. */
export interface BackendMeans {
  /** Runs programs so that all that they start ends with them, and reads and writes files. */
  readonly host: Host;
  readonly clock: Clock;
  /**
   * A session that keeps the rules of sessions: one turn at a time, one end for each, cut off at once. `answer` does the
   * work of a turn and returns its text; what it throws is the turn's error. What is still to be ended with the session is
   * for `close`.
   */
  session(
    request: SessionRequest,
    answer: (turn: BackendTurn) => Promise<string>,
    close?: () => Promise<void>,
  ): AgentSession;
}

/** A backend as its author declares it. */
export interface BackendOptions {
  /** What agents say under `backend`. */
  readonly name: string;
  /** Makes it. It is made only to be asked, too: it does nothing before a session is opened. */
  create(means: BackendMeans): AgentBackend;
}
