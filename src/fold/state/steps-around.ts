import type { StepAddress } from "../../contracts/step.ts";
import type { ChildState } from "./child-state.ts";

/** The ids of the steps around one, outermost first: `refine` for `refine[2]/draft`. */
export function stepsAround({ id, path }: Pick<StepAddress, "id" | "path">): readonly string[] {
  return stepsOf(path).filter((each) => each !== id);
}

/** The ids of the steps that a path leads through, outermost first. */
export function stepsOf(path: string): readonly string[] {
  return [...new Set(path.split("/").map((place) => place.replace(/\[\d+\]$/, "")))];
}

/** The ids of all steps that a turn is counted for: its own, or that for which its agent was spawned, and those around that. */
export function stepsServed({
  countedStep: step,
}: {
  readonly countedStep: Pick<StepAddress, "id" | "path"> | undefined;
}): readonly string[] {
  return step === undefined ? [] : [step.id, ...stepsAround(step)];
}

/** The ids of the steps that wait for a child run: the one that wanted it, and those around that. */
export function stepsAroundChild({ step, path }: ChildState): readonly string[] {
  if (step === undefined || path === undefined) return [];
  return [...stepsAround({ id: step, path }), step];
}
