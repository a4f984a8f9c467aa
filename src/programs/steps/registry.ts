import type { StepType } from "../../contracts/ports/step-type.ts";
import { agentStep } from "./agent-step.ts";
import { approvalStep } from "./approval-step.ts";
import { conditionStep } from "./condition-step.ts";
import { loopStep } from "./loop-step.ts";
import { parallelStep } from "./parallel-step.ts";
import { patternStep } from "./pattern-step.ts";
import { shellStep } from "./shell-step.ts";
import { transformStep } from "./transform-step.ts";
import { waitStep } from "./wait-step.ts";
import { workflowStep } from "./workflow-step.ts";

/** Every built-in type of step. A new one is a file and a line here. */
export const builtInStepTypes = [
  agentStep,
  approvalStep,
  conditionStep,
  loopStep,
  parallelStep,
  patternStep,
  shellStep,
  transformStep,
  waitStep,
  workflowStep,
] as const satisfies readonly StepType[];
