import type { StepAddress } from "../../contracts/step.ts";
import type { ChildState } from "./child-state.ts";

/** The ids of the steps around one, outermost first: `refine` for `refine[2]/draft`. */
export function stepsAround({ id, path }: Pick<StepAddress, "id" | "path">): readonly string[] {
  const ids = path.split("/").map((place) => place.replace(/\[\d+\]$/, ""));
  return [...new Set(ids)].filter((each) => each !== id);
}

/** The ids of the steps that wait for a child run: the one that wanted it, and those around that. */
export function stepsAroundChild({ step, path }: ChildState): readonly string[] {
  if (step === undefined || path === undefined) return [];
  return [...stepsAround({ id: step, path }), step];
}
