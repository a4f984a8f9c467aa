import type { Json } from "../foundation/json.ts";
import type { Budget } from "./budget.ts";

/** Where an agent is in its life (AGT-7). */
export type AgentStatus =
  | "starting"
  | "idle"
  | "working"
  | "waiting-permission"
  | "stuck"
  | "exited";

/** How an agent's life ended. */
export type AgentExitReason = "exited" | "released" | "timeout" | "failed" | "cancelled";

/** Why a task counts as done (SIG-5). */
export type CompletionReason =
  | "done-signal"
  | "verified"
  | "exit"
  | "released"
  | "timeout"
  | "failed";

export type AgentRole =
  | "lead"
  | "worker"
  | "reviewer"
  | "voter"
  | "peer"
  | "coordinator"
  | "hub"
  | "judge"
  | "debater";

export type PermissionMode = "ask" | "accept-edits" | "plan" | "dont-ask" | "bypass";

/** An agent as a workflow declares it, resolved: what `spawn` journals. */
export interface AgentSpec {
  readonly id: string;
  /** A label for people; the id when absent. */
  readonly name?: string;
  readonly role?: AgentRole;
  readonly backend: string;
  readonly model?: string;
  /** `fresh`: each step on its own session (default). `keep`: one session for all turns. */
  readonly session?: "fresh" | "keep";
  readonly reportsTo?: string;
  /** The agent that asked for this one; agents of the workflow itself have none. */
  readonly spawnedBy?: string;
  /** Absolute directory where the agent works. */
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  readonly permissionMode?: PermissionMode;
  /** What a died session means for its turn. Defaults to `resume`. */
  readonly onCrash?: "resume" | "restart" | "fail";
  /** Whether a step must give a signal when it names none. Defaults to what the backend says. */
  readonly demandsSignal?: boolean;
  /** What all turns of this agent may consume; then its turns fail. */
  readonly budget?: Budget;
  /** What only the backend understands: `command`, `script`, `module`, `args`, `systemPrompt`. */
  readonly settings?: { readonly [key: string]: Json };
}

/** What a program holds of an agent that it spawned. */
export interface AgentHandle {
  readonly id: string;
  readonly name: string;
  readonly backend: string;
  /** How the agent is told its conventions: in the prompt, through tools, or not at all. */
  readonly conventions: "text" | "tools" | "none";
  /** Whether a step of this agent must give a signal when it names none. */
  readonly demandsSignal: boolean;
}
