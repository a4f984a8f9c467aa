import type { ErrorReport } from "../foundation/errors.ts";
import { isRecord } from "../foundation/json.ts";
import { toPrintable } from "../foundation/printable.ts";
import type { RunState } from "./state/run-state.ts";
import type { StepState } from "./state/step-state.ts";

/** A step whose latest execution failed. */
export type FailedStep = Extract<StepState, { readonly status: "failed" }>;

/** The steps that failed for good, in the order of their first appearance. */
export function failedSteps({ steps }: RunState): readonly FailedStep[] {
  return [...steps.byPath.values()].filter((step) => step.status === "failed");
}

/**
 * The end of what explains a failed step: the output of its check, else what its program printed; empty where
 * nothing is known.
 */
export function failedOutput({ steps }: RunState, { step, error }: FailedStep): string {
  const check = steps.verifications.get(step);
  const checked = check === undefined || check.hasPassed ? "" : check.output;
  return checked.trim() === "" ? outputOf(error) : checked;
}

function outputOf({ details }: ErrorReport): string {
  if (!isRecord(details)) return "";
  const texts = [details["output"], details["stderr"]];
  return texts.find((text) => typeof text === "string" && text.trim() !== "")?.toString() ?? "";
}

/** What to do about a run that failed, as command lines (USE-1); none for one that did not, or that goes on. */
export function nextCommands(state: RunState): readonly string[] {
  const { phase, run } = state;
  if (phase.status !== "ended" || phase.outcome !== "failed") return [];
  const [first] = failedSteps(state);
  if (first === undefined) return [`troupe logs ${run.id}`];
  const again =
    run.parent === undefined ? `troupe rerun ${run.id} --failed` : `troupe show ${run.parent.run}`;
  return [again, `troupe show ${run.id} --step ${inOneWord(toPrintable(first.step))}`];
}

/** Instances of a matrix have spaces in their names. */
function inOneWord(step: string): string {
  return step.includes(" ") ? `"${step}"` : step;
}
