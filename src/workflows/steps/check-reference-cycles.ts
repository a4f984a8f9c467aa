import type { StepsDefinition } from "../../contracts/definition.ts";
import type { FlowStep } from "../../contracts/flow-step.ts";
import { waitingPaths } from "../../programs/flow/flow-paths.ts";
import { StepTexts } from "../../programs/flow/step-texts.ts";
import { stepTypeUnknown } from "../../programs/steps/parts/errors.ts";
import { findCycles } from "../checks/find-cycles.ts";
import { referenceCycle } from "./errors.ts";
import type { StepsCheck } from "./steps-check.ts";

/** Checks that no paths which run side by side wait for each other's data (STP-13). */
export function checkReferenceCycles(
  { view, options, report }: StepsCheck,
  definition: StepsDefinition,
): void {
  if (!definition.parallel) return;
  const types = new Map((options.stepTypes ?? []).map((type) => [type.name, type]));
  const typeOf = ({ id: step, type: name }: FlowStep) => {
    const type = types.get(name);
    if (type === undefined) throw stepTypeUnknown({ step, type: name, known: [...types.keys()] });
    return type;
  };
  const paths = waitingPaths(definition, { texts: new StepTexts(), typeOf });
  const waits = new Map(paths.map(({ start, after }) => [start, after]));
  const steps = new Map(view.top.map((step) => [step.id, step]));
  for (const cycle of findCycles(waits)) {
    const [first = ""] = cycle;
    const range = steps.get(first)?.idRange ?? view.root;
    report(referenceCycle({ path: [...cycle, first] }), range);
  }
}
