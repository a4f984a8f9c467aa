import type { StepType } from "../../contracts/ports/step-type.ts";
import { loadPatterns } from "../patterns/registry.ts";

/** What is known of a type of steps before there is a step of it; all else is loaded then. */
export interface BuiltInStepType extends Pick<StepType, "name"> {
  load(): Promise<StepType>;
}

/** Every built-in type of step. A new one is a file and a line here. */
export const builtInStepTypes = [
  { name: "agent", load: async () => (await import("./agent-step.ts")).agentStep },
  { name: "approval", load: async () => (await import("./approval-step.ts")).approvalStep },
  { name: "condition", load: async () => (await import("./condition-step.ts")).conditionStep },
  { name: "loop", load: async () => (await import("./loop-step.ts")).loopStep },
  { name: "parallel", load: async () => (await import("./parallel-step.ts")).parallelStep },
  { name: "pattern", load: () => (patternStep ??= loadPatternStep()) },
  { name: "shell", load: async () => (await import("./shell-step.ts")).shellStep },
  { name: "transform", load: async () => (await import("./transform-step.ts")).transformStep },
  { name: "wait", load: async () => (await import("./wait-step.ts")).waitStep },
  { name: "workflow", load: async () => (await import("./workflow-step.ts")).workflowStep },
] as const satisfies readonly BuiltInStepType[];

// Its settings are made of the blocks of all patterns, which takes longer than reading a file does: they are made once.
const loadPatternStep = async () =>
  (await import("./pattern-step.ts")).createPatternStep(await loadPatterns());
let patternStep: ReturnType<typeof loadPatternStep> | undefined;

/** Types of steps whole, in the order of the list. */
export function loadStepTypes(): Promise<readonly StepType[]> {
  return Promise.all(builtInStepTypes.map((type) => type.load()));
}
