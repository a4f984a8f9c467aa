import type { Budget } from "../../../contracts/budget.ts";
import type { VerificationSpec } from "../../../contracts/step.ts";
import type { Json } from "../../../foundation/json.ts";

/** A step as a run would carry it out. */
export interface PlannedStep {
  /** Of a step inside of another its place: `tests/unit`. */
  readonly id: string;
  /** Null for a step that asks none, or several. */
  readonly agent: string | null;
  /** In a step workflow; null elsewhere. */
  readonly type: string | null;
  readonly dependsOn: readonly string[];
  /** Where it goes on, by the key: `next`, `on_error`; empty outside of step workflows. */
  readonly routes: { readonly [key: string]: string };
  /** What its type is told beside agent and prompt, with the keys of the file; empty outside of step workflows. */
  readonly settings: { readonly [key: string]: Json };
  /** Decided at run time. */
  readonly when: string | null;
  /** Whether what happens at run time may pass it by. */
  readonly mayBeSkipped: boolean;
  /** The marker that it must end with, if any. */
  readonly expects: string | null;
  readonly maxAttempts: number;
  readonly retryDelayMs: number;
  /** Per attempt; null for none but that of the run. */
  readonly timeoutMs: number | null;
  readonly verify: readonly VerificationSpec[];
  readonly fallback: readonly string[];
  readonly escalateTo: string | null;
  readonly budget: Budget | null;
}

/** What an agent is told, and for which step. */
export interface PlannedPrompt {
  readonly agent: string;
  /** Id of the step, as in the plan; null for a turn that serves none. */
  readonly step: string | null;
  /** All that it is told: conventions and task. */
  readonly text: string;
}

/** What ends a step workflow that does not end by itself. */
export interface PlannedGuards {
  readonly maxIterations: number;
  readonly maxDurationMs: number;
  readonly maxErrors: number;
}

/** A workflow that steps run as a child. */
export interface PlannedChild {
  /** The name under which they ask for it. */
  readonly name: string;
  /** Its own name. */
  readonly workflow: string;
  /** Its pattern, or its shape. */
  readonly pattern: string;
  readonly agents: readonly { readonly id: string; readonly backend: string }[];
  readonly steps: readonly string[];
}
