import { describeBackend } from "../../../src/agents/backends/registry.ts";
import type { StepsDefinition } from "../../../src/contracts/definition.ts";
import type { FlowStep } from "../../../src/contracts/flow-step.ts";
import type { ReferenceParts } from "../../../src/programs/flow/references.ts";
import { StepTexts } from "../../../src/programs/flow/step-texts.ts";
import { loadStepTypes } from "../../../src/programs/steps/registry.ts";

const stepTypes = await loadStepTypes();

/** What the pure parts of the flow ask for beside a definition. */
export function flowParts(): Omit<ReferenceParts, "definition"> {
  return { texts: new StepTexts(), typeOf, traitsOf: describeBackend };
}

function typeOf({ type }: FlowStep) {
  const found = stepTypes.find(({ name }) => name === type);
  if (found === undefined) throw new Error(`there is no step type ${type}`);
  return found;
}

/** The step of an id, outside of others. */
export function stepOf({ steps }: StepsDefinition, id: string): FlowStep {
  const found = steps.find((step) => step.id === id);
  if (found === undefined) throw new Error(`there is no step ${id}`);
  return found;
}
