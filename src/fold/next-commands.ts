import { toPrintable } from "../foundation/printable.ts";
import { failedSteps } from "./failed-output.ts";
import type { RunState } from "./state/run-state.ts";

/** What to do about a run that failed, as command lines (USE-1); none for one that did not, or that goes on. */
export function nextCommands(state: RunState): readonly string[] {
  const { phase, run } = state;
  if (phase.status !== "ended" || phase.outcome !== "failed") return [];
  const [first] = failedSteps(state);
  if (first === undefined) return [`troupe logs ${run.id}`];
  const again =
    run.parent === undefined ? `troupe rerun ${run.id} --failed` : `troupe show ${run.parent.run}`;
  return [again, `troupe show ${run.id} --step ${toPrintable(first.step)}`];
}
