import type { ErrorReport } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import type { AgentExitReason, AgentSpec, AgentStatus, PermissionMode } from "../agent.ts";
import type { StopReason } from "../backend.ts";
import type { GitMark } from "../host.ts";
import type { Signal } from "../signal.ts";
import type { StepAddress } from "../step.ts";
import type { TurnTerms } from "../turn-terms.ts";
import type { Usage } from "../usage.ts";

/** The agent exists and holds a slot; no process yet. */
export interface AgentSpawned {
  readonly type: "agent-spawned";
  readonly agent: string;
  readonly backend: string;
  readonly spec: AgentSpec;
  /** What a turn used that tells nothing of it. Absent: nothing. */
  readonly untold?: "unknown";
  /** The session of an earlier life that this one goes on with. */
  readonly continues?: ContinuedSession;
}

/** A session that ended with its agent, which comes back. */
export interface ContinuedSession {
  readonly session: string;
  /** What the backend needs to go on with it, if it can. */
  readonly resume?: string;
  /** What its agent had done: for a session that remembers nothing of it. */
  readonly handOver?: string;
  /** The last entry of the record that it begins with, where that is the one of another agent. */
  readonly record?: string;
}

/** A session of the agent is open. */
export interface AgentReady {
  readonly type: "agent-ready";
  readonly agent: string;
  readonly session: string;
  /** What the backend needs to go on with this session in another process. */
  readonly resume?: string;
}

/** The agent's lifecycle moved on. */
export interface AgentStatusChanged {
  readonly type: "agent-status";
  readonly agent: string;
  readonly status: AgentStatus;
  readonly reason?: string;
}

/** The agent says what it is doing. */
export interface StatusSet {
  readonly type: "status-set";
  readonly agent: string;
  readonly turn: number;
  /** One line; empty when it takes back what it said. */
  readonly text: string;
}

/** From here on the agent works in another permission mode. */
export interface AgentModeSet {
  readonly type: "agent-mode-set";
  readonly agent: string;
  readonly turn: number;
  /** Absent: the one that it is declared with. */
  readonly mode?: PermissionMode;
  /** `agent`, who approved of its plan or asked for one, or `autoApprovePlanMode`. */
  readonly by: string;
}

/** From its next turn on the agent asks another model. */
export interface AgentModelSet {
  readonly type: "agent-model-set";
  readonly agent: string;
  /** Absent: the one that it is declared with. */
  readonly model?: string;
  readonly by: string;
}

/** Before its next answer the agent's session is to become shorter. */
export interface CompactionAsked {
  readonly type: "compaction-asked";
  readonly agent: string;
  readonly by: string;
}

/** One session is over; the agent may have others. */
export interface SessionEnded {
  readonly type: "session-ended";
  readonly agent: string;
  readonly session: string;
  readonly reason: "done" | "crashed" | "replaced";
  /** What the turn that it was in had done: for a session that follows it without its memory. */
  readonly handOver?: string;
}

/** A person wants the agent to begin anew: none of its sessions is gone on with from here on. */
export interface AgentRestarted {
  readonly type: "agent-restarted";
  readonly agent: string;
  readonly by: string;
}

/** What is done about an agent that seems stuck, one after the other (AGT-8). */
export type NudgeRung = "nudge" | "interrupt" | "restart" | "fail";

/** Somebody looks after an agent that seems stuck; durable before it is done. */
export interface AgentNudged {
  readonly type: "agent-nudged";
  readonly agent: string;
  readonly turn: number;
  readonly session: string;
  readonly rung: NudgeRung;
  /** What was seen, in words. */
  readonly observation: string;
}

/** The agent's life is over and its slot is free. */
export interface AgentExited {
  readonly type: "agent-exited";
  readonly agent: string;
  readonly reason: AgentExitReason;
  readonly error?: ErrorReport;
}

/** What a turn takes from the mailbox. */
export type TurnItem =
  | { readonly kind: "prompt"; readonly op: string }
  | { readonly kind: "message"; readonly id: string };

/** A turn begins; durable before the backend sees its items. */
export interface TurnStarted {
  readonly type: "turn-started";
  readonly agent: string;
  /** Counts the agent's turns from 1; a turn that is started again keeps its number. */
  readonly turn: number;
  /** 1, and 1 more for each start after an interruption. */
  readonly attempt: number;
  readonly session: string;
  readonly key: string;
  readonly items: readonly TurnItem[];
  /** The step that the turn serves, if any. */
  readonly step?: StepAddress;
  /** Absent: it works as its agent is declared. */
  readonly terms?: TurnTerms;
}

/** What the files of the agent's repository were when the turn began; durable before the backend sees its items. */
export interface TurnMarked {
  readonly type: "turn-marked";
  readonly agent: string;
  readonly turn: number;
  readonly mark: GitMark;
}

/** The agent is idle again. */
export interface TurnCompleted {
  readonly type: "turn-completed";
  readonly agent: string;
  readonly turn: number;
  /** The final text, at most 1 MiB of its end, and 2 MiB as JSON. */
  readonly text: string;
  readonly textTruncated?: boolean;
  readonly stopReason: StopReason;
  readonly signals: readonly Signal[];
  readonly usage?: Usage;
}

/** The turn ended with an error. */
export interface TurnFailed {
  readonly type: "turn-failed";
  readonly agent: string;
  readonly turn: number;
  readonly error: ErrorReport;
  /** The end of what the agent said before it failed. */
  readonly text?: string;
  readonly usage?: Usage;
}

/**
 * The turn was cut off and settles nothing: its owner died or let go, its model's provider asked to wait, the
 * turn was cancelled, its agent seemed stuck, or a person let it begin anew.
 */
export interface TurnInterrupted {
  readonly type: "turn-interrupted";
  readonly agent: string;
  readonly turn: number;
  readonly reason:
    | "owner-died"
    | "suspended"
    | "rate-limited"
    | "cancelled"
    | "timed-out"
    | "stuck"
    | "restarted";
  /** What it had reported; absent when that is nothing, or not known. */
  readonly usage?: Usage;
}

export interface ToolCalled {
  readonly type: "tool-called";
  readonly agent: string;
  readonly turn: number;
  readonly call: string;
  readonly tool: string;
  readonly input: Json;
}

export interface ToolReturned {
  readonly type: "tool-returned";
  readonly agent: string;
  readonly turn: number;
  readonly call: string;
  readonly tool: string;
  readonly isError: boolean;
  readonly result: string;
}

export interface FileChanged {
  readonly type: "file-changed";
  readonly agent: string;
  readonly turn: number;
  readonly path: string;
  readonly kind: "create" | "edit" | "delete";
}

/** A recognised or refused signal (SIG-9). */
export interface SignalReceived {
  readonly type: "signal-received";
  readonly agent: string;
  readonly turn: number;
  readonly signal: Signal;
  readonly counted: boolean;
  /** Why it does not count. */
  readonly refused?: string;
  /** Path of the step that its turn served, of a signal that was given by a tool. */
  readonly step?: string;
}

/** What an agent reads with its next turn, once: what of its text came to nothing, or its plan that was approved of. */
export interface AuthorTold {
  readonly type: "author-told";
  readonly agent: string;
  readonly turn: number;
  readonly text: string;
}

export type AgentEvent =
  | AgentSpawned
  | AgentReady
  | AgentStatusChanged
  | StatusSet
  | AgentModeSet
  | AgentModelSet
  | CompactionAsked
  | SessionEnded
  | AgentRestarted
  | AgentNudged
  | AgentExited
  | TurnStarted
  | TurnMarked
  | TurnCompleted
  | TurnFailed
  | TurnInterrupted
  | ToolCalled
  | ToolReturned
  | FileChanged
  | SignalReceived
  | AuthorTold;
