import type { StepType } from "../../../contracts/ports/step-type.ts";
import { type BuiltInStepType, builtInStepTypes } from "../../../programs/steps/registry.ts";
import type { Machine } from "../../machine/machine.ts";
import type { UserStepType } from "../code/workflow-code.ts";
import { codeOf } from "./code-of.ts";

/** All types that steps of a file may have here. Raises what codeOf raises. */
export async function stepTypesFor(
  machine: Machine,
  stepTypes: readonly UserStepType[] = [],
): Promise<readonly StepType[]> {
  const known = await knownStepTypes(machine, stepTypes);
  return Promise.all(known.map((type) => type.load()));
}

/** The same before anything of those is loaded that are built in. Raises what codeOf raises. */
export async function knownStepTypes(
  machine: Machine,
  stepTypes: readonly UserStepType[] = [],
): Promise<readonly BuiltInStepType[]> {
  const code = await codeOf(machine, { stepTypes });
  const own = code.stepTypes.map((type) => ({ name: type.name, load: async () => type }));
  return [...builtInStepTypes, ...own];
}
