import type { StepRun } from "../../contracts/ports/step-type.ts";
import { inputMissing } from "../steps/parts/errors.ts";

/** Sees to it that a step has the input that it names (STP-16). Raises STEP_INPUT_MISSING. */
export function takeInput({ step, scope }: Pick<StepRun, "step" | "scope">): void {
  const { input } = step;
  if (input === undefined) return;
  const record = scope.context.getResult(input);
  const hasFailed = record?.success === false;
  if (!hasFailed && scope.context.dataOf(input) !== undefined) return;
  const problem = record === undefined ? "it has not run" : "its latest execution failed";
  throw inputMissing({ step: step.id, input, problem });
}
