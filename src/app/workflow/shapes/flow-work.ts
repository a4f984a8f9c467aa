import type { FlowStep } from "../../../contracts/flow-step.ts";
import type { FlowWork } from "../../../observers/graph/graph-of-flow.ts";
import { findStepType } from "./find-step-type.ts";

/** Whom and what a step sets to work, as far as its type tells. */
export function workOf(step: FlowStep): FlowWork {
  const type = findStepType(step.type);
  if (type === undefined) return { agents: [], workflows: [] };
  const settings = type.settings.parse(step.settings);
  return {
    agents: type.agents?.(settings) ?? [],
    workflows: (type.workflows?.(settings) ?? []).map(({ key }) => key),
  };
}
