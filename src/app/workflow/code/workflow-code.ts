import type { BackendEntry } from "../../../agents/backends/registry.ts";
import type { BackendOptions } from "../../../contracts/own-backend.ts";
import type { OwnModel } from "../../../contracts/own-model.ts";
import type { PatternOptions } from "../../../contracts/ports/own-pattern.ts";
import type { Pattern, RouteTest } from "../../../contracts/ports/pattern.ts";
import type { StepGuard, StepType, StepTypeOptions } from "../../../contracts/ports/step-type.ts";

/** A step type as its author wrote it, whatever its settings are. */
export type UserStepType = StepTypeOptions<unknown>;

/** A pattern as its author wrote it, whatever its block is. */
export type UserPattern = PatternOptions<unknown>;

/** A backend as its author declares it: whatever runs agents, or a model for Troupe's loop. */
export type UserBackend = BackendOptions | OwnModel;

/** Code that workflows may need beyond that of troupe, as its author wrote it. */
export interface OwnCode {
  readonly stepTypes?: readonly UserStepType[];
  readonly guards?: readonly StepGuard[];
  readonly patterns?: readonly UserPattern[];
  readonly backends?: readonly UserBackend[];
  readonly routes?: readonly RouteTest[];
}

/** The same, checked and ready. */
export interface WorkflowCode {
  readonly stepTypes: readonly StepType[];
  readonly guards: readonly StepGuard[];
  readonly patterns: readonly Pattern[];
  readonly backends: readonly BackendEntry[];
  readonly routes: readonly RouteTest[];
}

/** What workflows without anybody's code get. */
export const NO_CODE: WorkflowCode = {
  stepTypes: [],
  guards: [],
  patterns: [],
  backends: [],
  routes: [],
};
