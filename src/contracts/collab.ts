import type { Budget } from "./budget.ts";

/** What an agent that spawned another one is told of it (COL-2). `not_found` is an answer only. */
export type CollabStatusName =
  | "pending_init"
  | "running"
  | "completed"
  | "errored"
  | "interrupted"
  | "shutdown"
  | "not_found";

/** Where an agent is, and the text with which it came there. */
export interface CollabStatus {
  readonly status: CollabStatusName;
  /** What it answered, or why it failed or ended; absent when there is nothing to tell. */
  readonly text?: string;
}

/** A status as a tool hands it out: a long text is cut. */
export interface ToldStatus extends CollabStatus {
  /** Where the rest of the text lies; absent when the text is whole, or lies nowhere. */
  readonly rest?: { readonly ref: string; readonly offset: number };
  readonly isCut?: true;
}

/** An agent by its id, with its status alone. */
export interface CollabAgent {
  readonly id: string;
  readonly name: string;
  readonly status: CollabStatusName;
}

/** An agent in the reach of another one. */
export interface ReachedAgent extends CollabAgent {
  /** Who spawned it, or whom it reports to. */
  readonly parent: string;
  readonly backend: string;
}

/** The agent that is asked for. */
export interface ChildRequest {
  readonly prompt: string;
  /** Its id. Defaults to `<role or type>-N`. */
  readonly name?: string;
  readonly role?: string;
  readonly type?: string;
  readonly backend?: string;
  readonly model?: string;
  readonly isolation?: "worktree" | "sandbox";
  readonly budget?: Budget;
}

/** Whose statuses are waited for, and how long. */
export interface WaitRequest {
  /** Empty: all that the caller has spawned itself. */
  readonly ids: readonly string[];
  readonly mode: "all" | "any";
  /** Defaults to what the run says. */
  readonly timeoutMs?: number;
}

/** What is known of those that were waited for. */
export interface WaitAnswer {
  /** By the ids that were asked for. */
  readonly statuses: { readonly [id: string]: ToldStatus };
  readonly timedOut: boolean;
  readonly effectiveTimeoutMs: number;
}

/** What closing came to. */
export interface CloseAnswer {
  readonly id: string;
  readonly previous: ToldStatus;
  /** Those that were closed: the agent and all below it that had not ended before. */
  readonly closed: readonly string[];
  /** Those of them whose processes were told to end and have not done so yet. */
  readonly ending: readonly string[];
}

/** What an agent may do with those that it spawns; always as the agent of the turn that asks. */
export interface CollabPort {
  /** Raises COLLAB_*, AGENT_EXISTS, AGENT_LIMIT_*, BACKEND_*, LIMIT_* and MESSAGE_* errors. */
  spawn(request: ChildRequest): Promise<CollabAgent>;
  /** Raises COLLAB_* and MESSAGE_* errors. */
  send(input: {
    readonly id: string;
    readonly prompt: string;
    readonly interrupt: boolean;
  }): Promise<CollabAgent>;
  /** Raises COLLAB_* errors. */
  wait(request: WaitRequest): Promise<WaitAnswer>;
  /** Raises COLLAB_* errors. */
  close(id: string): Promise<CloseAnswer>;
  /** Raises COLLAB_*, AGENT_LIMIT_*, LIMIT_* and MESSAGE_* errors. */
  resume(request: { readonly id: string; readonly prompt?: string }): Promise<CollabAgent>;
  /** All in the caller's reach, in the order of spawning. */
  list(): Promise<readonly ReachedAgent[]>;
}
