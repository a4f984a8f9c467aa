import type { AgentSpec, Effort, PermissionMode } from "../../contracts/agent.ts";
import type { ResourceLimits } from "../../contracts/host.ts";
import type { TroupeError } from "../../foundation/errors.ts";

/** A kind of agent that a Markdown file describes (SUB-2). */
export interface AgentType {
  readonly name: string;
  readonly description: string;
  /** The body of the file: its prompt. */
  readonly prompt: string;
  /** The file as people know it. */
  readonly file: string;
  /** The whole text of the file, and where the prompt begins in it. */
  readonly source: string;
  readonly promptStart: number;
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
  readonly isolation?: "worktree";
  /** What its programs may take of the machine. Absent: what the configuration says. */
  readonly limits?: Partial<ResourceLimits>;
  /** Tools that it may use. Absent: all. */
  readonly tools?: readonly string[];
  /** Tools that it may not use whatever `tools` says. */
  readonly deniedTools?: readonly string[];
  /** Most answers of its model in one turn. */
  readonly maxTurns?: number;
  /** Whether its tasks are carried out in the background. */
  readonly isBackground?: true;
  /** How much its model may think. */
  readonly effort?: Effort;
  readonly autoApprovePlanMode?: boolean;
  readonly mcpServers?: NonNullable<AgentSpec["mcpServers"]>;
  /** Most tokens of one answer of its model. */
  readonly maxOutputTokens?: number;
  /** What its file asks for and nothing does, and keys that mean nothing. */
  readonly doubts: readonly TroupeError[];
}

/** What a name leads to. */
export type FoundAgentType =
  | { readonly status: "found"; readonly type: AgentType }
  /** There is a file, but it cannot be used: it is damaged, or nobody trusts the project. */
  | { readonly status: "refused"; readonly error: TroupeError };

/** Finds agent types by their name. Files are read when the first one is asked for. */
export interface AgentTypeFinder {
  find(name: string): FoundAgentType | undefined;
  /** Names for hints. */
  names(): readonly string[];
}
