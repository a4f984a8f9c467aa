import type { StepType } from "../../../contracts/ports/step-type.ts";
import { type BuiltInStepType, builtInStepTypes } from "../../../programs/steps/registry.ts";
import type { Machine } from "../../machine/machine.ts";
import type { OwnCode, WorkflowCode } from "../code/workflow-code.ts";
import { codeOf } from "./code-of.ts";

/** All types that steps of a file may have here. Raises what codeOf raises. */
export async function stepTypesFor(
  machine: Machine,
  own: OwnCode = {},
): Promise<readonly StepType[]> {
  const known = knownStepTypes(await codeOf(machine, own));
  return Promise.all(known.map((type) => type.load()));
}

/** The same before anything of those is loaded that are built in. */
export function knownStepTypes({
  stepTypes,
  patterns,
}: Pick<WorkflowCode, "stepTypes" | "patterns">): readonly BuiltInStepType[] {
  const own = stepTypes.map((type) => ({ name: type.name, load: async () => type }));
  if (patterns.length === 0) return [...builtInStepTypes, ...own];
  const withPatterns = builtInStepTypes.map(({ name, load }: BuiltInStepType) => ({
    name,
    load: async () => {
      const type = await load();
      return type.withPatterns?.(patterns) ?? type;
    },
  }));
  return [...withPatterns, ...own];
}
