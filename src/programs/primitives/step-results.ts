import type { CompletionReason } from "../../contracts/agent.ts";
import type { ErrorReport } from "../../foundation/errors.ts";

/** How one step of a pattern ended. */
export type StepResult =
  | {
      readonly status: "completed";
      /** Undefined for a command. */
      readonly agent: string | undefined;
      readonly output: string;
      readonly text: string;
      readonly reason: CompletionReason;
      readonly attempts: number;
      readonly durationMs: number;
    }
  | {
      readonly status: "failed";
      /** Undefined for a command. */
      readonly agent: string | undefined;
      readonly error: ErrorReport;
      readonly attempts: number;
      readonly durationMs: number;
    }
  | { readonly status: "skipped"; readonly reason: string }
  | { readonly status: "blocked"; readonly by: readonly string[] }
  | { readonly status: "cancelled"; readonly reason: string };

/** Results by step id, as far as the run has come. */
export type StepResults = ReadonlyMap<string, StepResult>;

/** The output of a step, empty unless it was completed. */
export function outputOfStep(result: StepResult | undefined): string {
  return result?.status === "completed" ? result.output : "";
}

/** Whether the steps that depend on this one may start. */
export function lets(result: StepResult | undefined): boolean {
  return result?.status === "completed" || result?.status === "skipped";
}
