import type { StepGuard, StepType, StepTypeOptions } from "../../../contracts/ports/step-type.ts";

/** A step type as its author wrote it, whatever its settings are. */
export type UserStepType = StepTypeOptions<unknown>;

/** Code that step workflows may need beyond that of troupe, as its author wrote it. */
export interface OwnCode {
  readonly stepTypes?: readonly UserStepType[];
  readonly guards?: readonly StepGuard[];
}

/** The same, checked and ready. */
export interface WorkflowCode {
  readonly stepTypes: readonly StepType[];
  readonly guards: readonly StepGuard[];
}

/** What workflows without anybody's code get. */
export const NO_CODE: WorkflowCode = { stepTypes: [], guards: [] };
