import type { StepType } from "../../../contracts/ports/step-type.ts";
import { builtInStepTypes } from "../../../programs/steps/registry.ts";
import type { Machine } from "../../machine/machine.ts";
import type { OwnCode } from "../code/workflow-code.ts";
import { codeOf } from "./code-of.ts";

/** All types that steps of a file may have here. Raises what codeOf raises. */
export async function stepTypesFor(
  machine: Machine,
  own: OwnCode = {},
): Promise<readonly StepType[]> {
  const code = await codeOf(machine, own);
  return [...builtInStepTypes, ...code.stepTypes];
}
