import type { Budget } from "./budget.ts";

/** Which execution of which step something belongs to. */
export interface StepAddress {
  /** The id as written. */
  readonly id: string;
  /** Full place: `parallel-tests/unit`. */
  readonly path: string;
  /** From 1 per path. */
  readonly execution: number;
  /** From 1 per execution. */
  readonly attempt: number;
}

/** A check that must hold before a step counts as done (WF-11). */
export type VerificationSpec = (
  | {
      readonly kind: "command";
      readonly command: string | readonly string[];
      readonly expectExit: number;
      readonly timeoutMs?: number;
      /** Whether it is told which test files the step changed; runs of before this rule do not look. */
      readonly tellsTests?: boolean;
      /** Names of variables of Troupe's own environment that it gets; their values are never journaled. */
      readonly passEnv?: readonly string[];
    }
  | { readonly kind: "fileExists"; readonly path: string }
  | {
      readonly kind: "outputMatches";
      readonly pattern: string;
      /** `text`: found in all that the agent said, without what it was given. Absent: in the output. */
      readonly in?: "text";
    }
  | { readonly kind: "jsonSchema"; readonly schema: { readonly [key: string]: unknown } }
  | { readonly kind: "gitChanged"; readonly changed: boolean }
) & {
  /** Patterns of files that the step must not touch, instead of what the command runs. */
  readonly protect?: readonly string[];
};

/** The texts of a check in which variables are filled in. */
export function templatesOf(check: VerificationSpec): readonly string[] {
  if (check.kind === "fileExists") return [check.path];
  return check.kind === "command" ? [check.command].flat() : [];
}

/** What a variable of a matrix can be. */
export type MatrixValue = string | number | boolean;

/** The variables of one instance of a step with a matrix, by name. */
export interface MatrixValues {
  readonly [name: string]: MatrixValue;
}

/** One of the instances that a step with a matrix is (WF-17). */
export interface StepInstance {
  /** Id of the step whose instance it is. */
  readonly of: string;
  readonly matrix: MatrixValues;
}

/** How the instances of a step with a matrix are carried out. */
export interface InstanceRules {
  /** Instances at the same time. Absent: as many as the run lets. */
  readonly maxConcurrency?: number;
  /** Whether the first that fails ends the others. */
  readonly failFast: boolean;
}

/** One step of a pattern workflow, resolved. */
export interface StepSpec {
  readonly id: string;
  /** Absent unless it is an instance of a step with a matrix. */
  readonly instance?: StepInstance;
  /** Absent unless it has a matrix: it depends on its instances, does nothing itself, and says how they ended. */
  readonly gathers?: InstanceRules;
  /** Absent for a step with a command or a matrix. */
  readonly agent?: string;
  /** What is run in place of an agent: a text for the shell, or a list. A template. */
  readonly run?: StepCommand;
  /** Absent: it starts when all that it depends on went well. */
  readonly runs?: "always" | "on-failure";
  /** A template; the run's task when absent. */
  readonly prompt?: string;
  readonly dependsOn: readonly string[];
  /** An expression; false skips the step. */
  readonly when?: string;
  /** The marker that completes the step, `none` for no marker, absent for the default of its backend. */
  readonly expects?: string;
  /** Attempts in all, 1 or more. */
  readonly maxAttempts: number;
  readonly retryDelayMs: number;
  /** Per attempt. */
  readonly timeoutMs?: number;
  /** What all turns of this step may consume; then it fails. */
  readonly budget?: Budget;
  readonly verify: readonly VerificationSpec[];
  /** How what it did is undone when the run fails after all. Absent: it is left as it is. */
  readonly compensate?: CompensationSpec;
  /** Agents that try in turn after the last attempt. */
  readonly fallback: readonly string[];
  /** Gets the step once after everything else failed. */
  readonly escalateTo?: string;
  /** Pipeline: get the previous stage's output in the conventions. Defaults to true. */
  readonly receivesPreviousOutput?: boolean;
}

/** What undoes a step that was completed: an agent, or a command. Templates, which know the step itself. */
export type CompensationSpec = { readonly timeoutMs: number } & (
  | { readonly agent: string; readonly prompt: string }
  | { readonly run: StepCommand }
);

/** How long an attempt to undo a step may take where nobody says another time. */
export const DEFAULT_COMPENSATION_MS = 300_000;

/** The id under which what undoes a step is carried out; no step can be called so. */
export function compensationOf(step: string): string {
  return `${step}/compensate`;
}

/** Whether a name is that of what undoes a step. */
export function isCompensation(step: string): boolean {
  return step.endsWith("/compensate");
}

/** How many of those that a barrier waits for must have given its signal. */
export const BARRIER_TYPES = ["all", "any", "majority"] as const;

/** The command of a step: no agent, no session, no convention. */
export interface StepCommand {
  readonly command: string | readonly string[];
  /** Absolute. Defaults to where the run was started. */
  readonly cwd?: string;
  /** Further variables of its environment, templates. */
  readonly env?: { readonly [name: string]: string };
  /** Names of variables of Troupe's own environment that it gets. */
  readonly passEnv?: readonly string[];
  /** Whether the step is done with any exit code. Defaults to 0 only. */
  readonly allowFailure?: boolean;
}

/** A point that opens when agents have given a signal (WF-10). */
export interface BarrierSpec {
  readonly id: string;
  /** Agents whose signal is awaited. */
  readonly waitFor: readonly string[];
  /** Steps that have to be completed besides. */
  readonly steps?: readonly string[];
  readonly signal: string;
  readonly type: (typeof BARRIER_TYPES)[number];
  readonly timeoutMs?: number;
}
