import type { Json } from "../foundation/json.ts";
import type { AgentExitReason, CompletionReason } from "./agent.ts";
import type { Message } from "./message.ts";

/** What one agent of a pattern came to. */
export interface AgentResult {
  /** The agent's id. */
  readonly name: string;
  /** `exited`: its work is done; `released`: it was let go without having had to do any. */
  readonly exitReason: AgentExitReason;
  /** Why its last task counts as done; absent when it does not. */
  readonly completedBy?: CompletionReason;
  /** What it posted, in order. */
  readonly messages: readonly Message[];
  /** The output of its last completed step. */
  readonly summary?: string;
}

/** What a pattern workflow came to: the `result` of `run-ended`. */
export interface WorkflowResult {
  readonly pattern: string;
  readonly agents: readonly AgentResult[];
  /** Running time in ms. */
  readonly durationMs: number;
  /** Whether the outcome is `completed`. */
  readonly success: boolean;
  /** The output of the step that nothing depends on; of several, each under its id. */
  readonly output: string;
  readonly metadata: { readonly [key: string]: Json };
}
