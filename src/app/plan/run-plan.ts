import type { AgentSpec, PermissionMode } from "../../contracts/agent.ts";
import type { BackendProblem } from "../../contracts/backend.ts";
import type { Budget } from "../../contracts/budget.ts";
import type { FailurePolicy } from "../../contracts/definition.ts";
import type { ResourceLimits } from "../../contracts/host.ts";
import type { ShadowBinding } from "../../contracts/shadow.ts";
import type { Json } from "../../foundation/json.ts";
import type { BackendOrigin } from "../../workflows/resolve/resolve-backend.ts";
import type { GraphDocument } from "../history/draw-graph.ts";
import type {
  PlannedChild,
  PlannedGuards,
  PlannedPrompt,
  PlannedStep,
} from "../workflow/shapes/planned-step.ts";

/** An agent as a run would have it. */
export interface PlannedAgent {
  readonly id: string;
  readonly name: string | null;
  readonly role: AgentSpec["role"] | null;
  readonly backend: string;
  /** What decided on the backend; null for a definition that came from code. */
  readonly backendFrom: BackendOrigin | null;
  readonly model: string | null;
  /** What a `command` agent runs: a text for the shell, or program and arguments. */
  readonly command: Json;
  /** What it is told before everything else, by its backend. */
  readonly systemPrompt: string | null;
  readonly session: "fresh" | "keep";
  /** Absolute. */
  readonly cwd: string;
  readonly permissionMode: PermissionMode;
  readonly isolation: "none" | "worktree" | "sandbox";
  /** How it is told its conventions. */
  readonly conventions: "text" | "tools" | "none";
  readonly budget: Budget | null;
  /** What its programs may take of the machine, where that is not what the configuration says. */
  readonly limits: readonly PlannedLimit[];
  /** Whom it watches, and when it may speak; null for agents that work. */
  readonly shadow: ShadowBinding | null;
  readonly isReady: boolean;
  /** What keeps it from running here, with what to do. */
  readonly problems: readonly BackendProblem[];
}

/** A limit that an agent's declaration asks for. */
export interface PlannedLimit {
  readonly resource: keyof ResourceLimits;
  readonly asked: number;
  /** Less than what was asked for where the user's own configuration allows no more. */
  readonly given: number;
}

/** A guess with what it rests on. */
export type Guess =
  | {
      readonly basis: "earlier-runs";
      readonly value: number;
      readonly runs: number;
      /** Whether a price table had to tell a part of it. */
      readonly isEstimate?: true;
    }
  | { readonly basis: "budget"; readonly atMost: number }
  | { readonly basis: "free"; readonly value: 0 }
  | { readonly basis: "unknown" };

/** What a run is likely to take. */
export interface RunEstimate {
  /** `max` is what retries, reminders, fallbacks and escalations can make of it; null when nothing bounds it. */
  readonly turns: {
    readonly min: number;
    readonly likely: number;
    readonly max: number | null;
    /** What the numbers are made of, where a pattern says so. */
    readonly basis?: string;
  };
  /** Turns that ended in earlier runs, in the middle. */
  readonly earlierTurns: Guess;
  readonly costUsd: Guess;
  readonly tokens: Guess;
  readonly durationMs: Guess;
}

/** What a run would do, found out without doing any of it; the document of `plan --json`. */
export interface RunPlan {
  readonly v: 1;
  readonly workflow: string;
  /** The pattern, or the shape of a workflow that has none. */
  readonly pattern: string;
  readonly file: string | null;
  readonly instance: string;
  readonly task: string | null;
  /** Of a step workflow; null without one. */
  readonly input: Json;
  readonly params: { readonly [name: string]: Json };
  /** Absolute; where agents start that name no directory. */
  readonly cwd: string;
  readonly graph: Pick<GraphDocument, "nodes" | "edges">;
  /** Shell commands that run before any agent is asked for anything, as they are written. */
  readonly setup: readonly string[];
  readonly agents: readonly PlannedAgent[];
  /** In the order in which they would start if each took the same time; of a step workflow in that of the file. */
  readonly steps: readonly PlannedStep[];
  /** Of a step workflow. */
  readonly children: readonly PlannedChild[];
  /** What agents would be told if every step succeeded, in order; results of others are placeholders. */
  readonly prompts: readonly PlannedPrompt[];
  readonly limits: {
    readonly timeoutMs: number | null;
    readonly maxConcurrency: number | null;
    /** Null where no step can fail. */
    readonly onFailure: FailurePolicy | null;
    readonly budget: Budget | null;
    /** Of a step workflow; null elsewhere. */
    readonly guards: PlannedGuards | null;
  };
  readonly estimate: RunEstimate;
  /**
   * How it went when everything was assumed to succeed; anything but `completed` needs a look. Null for a step
   * workflow: what happens decides there which steps are carried out.
   */
  readonly rehearsal: { readonly outcome: string; readonly reason: string } | null;
}
