import { z } from "zod";
import type { FlowStep } from "../../../contracts/flow-step.ts";
import type { StepType } from "../../../contracts/ports/step-type.ts";
import type { FlowWork } from "../../../observers/graph/graph-of-flow.ts";

/** The built-in types of steps, by name. */
export interface StepTypeFinder {
  /** Undefined for types of users, whose code need not be here to look at a workflow. */
  find(name: string): StepType | undefined;
  /** The same with something that nothing is known of in place of types of users. */
  of(step: Pick<FlowStep, "type">): StepType;
  /** Whom and what a step sets to work, as far as its type tells. */
  workOf(step: FlowStep): FlowWork;
}

/** Finds these types. */
export function stepTypesIn(types: readonly StepType[]): StepTypeFinder {
  const byName = new Map(types.map((type) => [type.name, type]));
  return {
    find: (name) => byName.get(name),
    of: ({ type }) => byName.get(type) ?? unknownType(type),
    workOf: (step) => {
      const type = byName.get(step.type);
      if (type === undefined) return { agents: [], workflows: [] };
      const settings = type.settings.parse(step.settings);
      return {
        agents: type.agents?.(settings) ?? [],
        workflows: (type.workflows?.(settings) ?? []).map(({ key }) => key),
      };
    },
  };
}

function unknownType(name: string): StepType {
  return {
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
  };
}
