import type { Json } from "../../foundation/json.ts";

/** The workflow, or an agent, wants a person's decision. */
export interface ApprovalRequested {
  readonly type: "approval-requested";
  readonly approval: string;
  /** The operation that waits; absent when an agent asks. */
  readonly op?: string;
  /** The agent that asks; its answer is a message to it. */
  readonly agent?: string;
  /** The turn that waits for the decision; absent when none does. */
  readonly turn?: number;
  readonly message: string;
  readonly step?: string;
  /** `pause`: a failed step waits to be tried again (approved) or left as it is (rejected). */
  readonly purpose?: "approval" | "pause";
  /** What is to be approved. */
  readonly show?: Json;
  /** SHA-256 of message and show: a decision is bound to what was shown. */
  readonly hash: string;
  /** ISO time after which it decides itself. */
  readonly expiresAt?: string;
}

export interface ApprovalResolved {
  readonly type: "approval-resolved";
  readonly approval: string;
  readonly decision: "approved" | "rejected";
  /** `user`, `--approve`, `timeout`. */
  readonly by: string;
  readonly comment?: string;
  readonly edited?: Json;
  /** What the person had seen; the request's hash, or the decision would have been refused. */
  readonly hash?: string;
}

/** A turn no longer waits for what it asked; the request stays open. */
export interface ApprovalDeferred {
  readonly type: "approval-deferred";
  readonly approval: string;
  readonly agent: string;
  readonly turn: number;
}

/** An agent wants to do something that needs permission. */
export interface PermissionRequested {
  readonly type: "permission-requested";
  readonly id: string;
  /** Names this request among all of the run. Absent in journals of earlier versions. */
  readonly asker?: string;
  readonly agent: string;
  readonly turn: number;
  readonly tool: string;
  readonly input: Json;
  /** What the policy decided in the same moment; absent when a person is asked. */
  readonly ruling?: "allowed" | "denied";
  /** The rule by which it did, if it was one. */
  readonly rule?: string;
  /** ISO time after which it decides itself. */
  readonly expiresAt?: string;
  /** The call as the turn's events name it; absent where its backend does not say. */
  readonly call?: string;
  /** The same was allowed before the turn was cut off, and that was used. */
  readonly repeats?: RepeatedPermission;
}

/** What is known of a call that is asked for once more. */
export interface RepeatedPermission {
  /** Id of the request that was allowed and used last. */
  readonly id: string;
  /** Whether its result is in the journal; else the call may have run, wholly or in part. */
  readonly outcome: "returned" | "failed" | "unknown";
}

/** A permission is handed over to the agent, which may go on from there; durable before that. */
export interface PermissionUsed {
  readonly type: "permission-used";
  readonly id: string;
  readonly agent: string;
  readonly turn: number;
  /** The attempt of the turn that uses it. */
  readonly attempt: number;
  /** The call as the events of this attempt name it. */
  readonly call?: string;
}

/** What an agent need not ask again in this run. */
export interface PermissionGrant {
  readonly agent: string;
  readonly tool: string;
  /** The commands, paths or texts that it asked about: these, and no others. */
  readonly texts: readonly string[];
}

export interface PermissionResolved {
  readonly type: "permission-resolved";
  readonly id: string;
  readonly decision: "allowed" | "denied";
  /** `user`, `policy`, `timeout`, `interrupted`. */
  readonly by: string;
  readonly comment?: string;
  /** What holds from here on to the end of the run. */
  readonly always?: PermissionGrant;
}

/** A person is asked in the name of an agent: in a turn that waits for the answer, in a message, or by the program. */
export interface QuestionAsked {
  readonly type: "question-asked";
  readonly id: string;
  /** Names this request among all of the run. Absent in journals of earlier versions. */
  readonly asker?: string;
  readonly agent: string;
  /** The turn that waits; absent when a message asks. */
  readonly turn?: number;
  /** The operation of the program that waits; absent when an agent asks. */
  readonly op?: string;
  /** Id of the message that asks; its answer is a message to the agent, and nothing waits for it. */
  readonly message?: string;
  readonly text: string;
  /** Answers to choose from, by their number from 1 or by themselves; any other text is one too. */
  readonly options?: readonly string[];
  /** Whether several of them may be chosen, divided by commas. */
  readonly many?: true;
}

export interface QuestionAnswered {
  readonly type: "question-answered";
  readonly id: string;
  readonly answer: string;
  /** `user`, or `interrupted` when the turn that asked was cut off. */
  readonly by: string;
}

/** An agent called a tool that belongs to the program: vote, bid, hand-off, spawn. */
export interface RequestReceived {
  readonly type: "request-received";
  readonly request: string;
  readonly agent: string;
  readonly turn: number;
  readonly tool: string;
  readonly arguments: Json;
}

export interface RequestAnswered {
  readonly type: "request-answered";
  readonly request: string;
  readonly value: Json;
  readonly isError: boolean;
}

export type RequestEvent =
  | ApprovalRequested
  | ApprovalResolved
  | ApprovalDeferred
  | PermissionRequested
  | PermissionResolved
  | PermissionUsed
  | QuestionAsked
  | QuestionAnswered
  | RequestReceived
  | RequestAnswered;
