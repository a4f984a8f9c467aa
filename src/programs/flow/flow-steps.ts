import type { FlowStep } from "../../contracts/flow-step.ts";

/** A step and where it stands. */
export interface PlacedStep {
  readonly step: FlowStep;
  /** Its place as the file has it: `tests/unit`. */
  readonly path: string;
  /** The step around it. */
  readonly parent?: FlowStep;
  /** The place of the step around it. */
  readonly parentPath?: string;
}

/** All steps, each before those inside of it. */
export function flowSteps(steps: readonly FlowStep[], around?: PlacedStep): readonly PlacedStep[] {
  return steps.flatMap((step) => {
    const placed: PlacedStep = {
      step,
      path: around === undefined ? step.id : `${around.path}/${step.id}`,
      ...(around === undefined ? {} : { parent: around.step, parentPath: around.path }),
    };
    return [placed, ...flowSteps(step.steps, placed)];
  });
}
