import type { RunPlan } from "../../app/plan/run-plan.ts";
import type { PlannedGuards } from "../../app/workflow/shapes/planned-step.ts";
import { count } from "../../foundation/count.ts";
import { formatDuration } from "../../foundation/duration.ts";
import { budgetText } from "./plan-words.ts";

const FAILURES = {
  continue: "blocks what depends on it, the rest goes on",
  abort: "ends the run",
  pause: "waits for a person, who may have it tried again",
} as const satisfies { readonly [policy in NonNullable<RunPlan["limits"]["onFailure"]>]: string };

/** What bounds a run. */
export function limitLines({ limits }: RunPlan): readonly string[] {
  const { timeoutMs, maxConcurrency, onFailure, budget, guards } = limits;
  const atATime =
    maxConcurrency === null ? "as many steps as can start" : count(maxConcurrency, "step");
  return [
    `  time         ${timeoutMs === null ? "not limited" : `at most ${formatDuration(timeoutMs)} of running time`}`,
    ...(onFailure === null && guards === null ? [] : [`  at a time    ${atATime}`]),
    ...(onFailure === null ? [] : [`  failed step  ${FAILURES[onFailure]}`]),
    ...(guards === null ? [] : [`  guards       ${guardText(guards)}`]),
    `  budget       ${budget === null ? "none" : budgetText(budget)}`,
  ];
}

function guardText({ maxIterations, maxDurationMs, maxErrors }: PlannedGuards): string {
  const time = formatDuration(maxDurationMs);
  return `at most ${count(maxIterations, "step")} one after the other, ${time}, ${count(maxErrors, "failed step")}`;
}
