import type { CompletionReason } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Pattern } from "../../contracts/ports/pattern.ts";
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

/**
 * What a pattern was done for: the outputs of the steps that are its results; several stand under their ids.
 * `outputOf` knows the outputs of completed steps.
 */
export function finalOutput(
  { results = unneeded }: Pick<Pattern, "results">,
  definition: PatternDefinition,
  outputOf: (step: string) => string | undefined,
): string {
  const ids = results(definition);
  const outputs = ids.flatMap((id) => {
    const output = outputOf(id);
    return output === undefined ? [] : [{ id, output }];
  });
  const [first] = outputs;
  if (first !== undefined && ids.length === 1) return first.output;
  return outputs.map(({ id, output }) => `## ${id}\n\n${output}`).join("\n\n");
}

function unneeded({ steps }: PatternDefinition): readonly string[] {
  const inner = new Set(steps.flatMap((step) => step.dependsOn));
  return steps.flatMap(({ id }) => (inner.has(id) ? [] : [id]));
}
