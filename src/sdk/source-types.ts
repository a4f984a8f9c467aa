import type { Json } from "../foundation/json.ts";

// Types under the names that relay's documents give them, for code that is written against those. All describe what a file of a
// pattern workflow may say; `troupe validate` knows more keys.

/** Agent CLIs by name; any backend can stand in their place. */
export type AgentCli = "claude" | "codex" | "gemini" | "aider" | "goose";

/** A check after a step. */
export type YamlVerification = {
  readonly command: string;
  /** Defaults to 0. */
  readonly expectExit?: number;
  /** A duration such as `2m`. */
  readonly timeout?: string;
};

/** A point that several agents reach by a signal. */
export type YamlBarrier = {
  readonly id: string;
  readonly waitFor: readonly string[];
  /** Defaults to `DONE`. */
  readonly signal?: string;
  /** Defaults to `all`. */
  readonly type?: "all" | "any" | "majority";
  readonly timeout?: string;
};

/** An agent of a file. */
export type YamlAgent = {
  readonly id: string;
  readonly name?: string;
  readonly role?: "lead" | "worker" | "reviewer" | "voter" | "peer" | "coordinator";
  readonly cli?: AgentCli;
  readonly model?: string;
  readonly reportsTo?: string;
  readonly constraints?: { readonly [key: string]: Json };
  /** For agents that are no CLI, such as `script`. */
  readonly backend?: string;
  /** Turns of a scripted agent, as in cassettes. */
  readonly script?: readonly Json[];
};

/** A step of a file. */
export type YamlStep = {
  readonly id: string;
  readonly agent: string;
  readonly prompt: string;
  readonly dependsOn?: readonly string[];
  readonly expects?: string;
  readonly maxRetries?: number;
  readonly verify?: readonly YamlVerification[];
};

/** The content of a pattern workflow's file, as `runWorkflow` takes it. */
export type YamlWorkflow = {
  readonly version?: "1.0";
  readonly name: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly pattern: string;
  readonly agents: readonly YamlAgent[];
  readonly steps?: readonly YamlStep[];
  readonly reflection?: { readonly [key: string]: Json };
  readonly trajectory?: { readonly [key: string]: Json };
  readonly coordination?: {
    readonly mode?: "sequential" | "parallel" | "dag";
    readonly barriers?: readonly YamlBarrier[];
  };
  readonly options?: { readonly [key: string]: Json };
  readonly errorHandling?: { readonly [key: string]: Json };
};

/** What bounds a series of iterations: one of the options of `iterate`. */
export type IterationCondition =
  | { readonly count: number }
  | { readonly durationMs: number }
  | { readonly until: string }
  | { readonly maxIterations: number };
