import { z } from "zod";
import type { FlowStep } from "../../../contracts/flow-step.ts";
import type { StepType } from "../../../contracts/ports/step-type.ts";
import type { FlowWork } from "../../../observers/graph/graph-of-flow.ts";
import { builtInStepTypes } from "../../../programs/steps/registry.ts";

/** A built-in type of steps; undefined for types of users, whose code need not be here to look at a workflow. */
export function findStepType(name: string): StepType | undefined {
  return builtInStepTypes.find((type) => type.name === name);
}

/** The same with something that nothing is known of in place of types of users. */
export function stepTypeFor({ type: name }: { readonly type: string }): StepType {
  return (
    findStepType(name) ?? {
      name,
      summary: "",
      settings: z.unknown(),
      routes: [],
      goesOn: "own",
      nested: "none",
      mayBeNested: true,
      expressions: [],
      templates: [],
      deadline: "scope",
      run: () => Promise.reject(new Error(`the code of steps of type "${name}" is not here`)),
    }
  );
}

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
