import type { Budget } from "./budget.ts";
import type { Usage } from "./usage.ts";

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
  /** What it is to do, in a few words for people. */
  readonly description?: string;
  /** Most answers of its model in one turn; no more than its kind and its parent say. */
  readonly maxTurns?: number;
  /** It is there for this task alone. Absent: it lives until it is closed. */
  readonly subagent?: "foreground" | "background";
  /** It begins with what its parent has said and heard so far. Defaults to false. */
  readonly fork?: boolean;
}

/** A task for an agent that is there for it alone (SUB-1). */
export interface TaskRequest
  extends Omit<ChildRequest, "role" | "budget" | "subagent" | "type" | "isolation"> {
  readonly type: string;
  readonly isolation?: "worktree";
  /** Returns at once. Absent: as the type says. */
  readonly background?: boolean;
  /** Id of an earlier one that goes on with this prompt. */
  readonly resume?: string;
  /** Names the call, where its caller goes on in the middle of a turn. */
  readonly call?: string;
}

/** What a task came to, or that it goes on. */
export interface TaskAnswer extends ToldStatus {
  readonly id: string;
  /** What the agent has used in its whole life. */
  readonly usage: Usage;
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
  /** Gives a task to an agent of its own, and waits for the answer unless that is to come later. Raises as spawn and resume do. */
  task(request: TaskRequest): Promise<TaskAnswer>;
  /** All in the caller's reach, in the order of spawning. */
  list(): Promise<readonly ReachedAgent[]>;
}
