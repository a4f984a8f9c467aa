import { z } from "zod";
import type { FlowStep } from "../../../contracts/flow-step.ts";
import type { StepType } from "../../../contracts/ports/step-type.ts";
import type { FlowWork } from "../../../observers/graph/graph-of-flow.ts";
import type { WorkflowCode } from "../code/workflow-code.ts";

/** The built-in types of steps, by name. */
export interface StepTypeFinder {
  /** Undefined for types of users, whose code need not be here to look at a workflow. */
  find(name: string): StepType | undefined;
  /** The type of a step, or something that nothing is known of where `read` finds none. */
  of(step: FlowStep): StepType;
  /** The type of a step and what it says; undefined for types of users, and where it needs a pattern of theirs. */
  read(step: FlowStep): ReadStep | undefined;
  /** Whom and what a step sets to work, as far as its type tells. */
  workOf(step: FlowStep): FlowWork;
}

/** A step as its type reads it. */
interface ReadStep {
  readonly type: StepType;
  readonly settings: unknown;
}

/** Finds these types. */
export function stepTypesIn(types: readonly StepType[]): StepTypeFinder {
  const byName = new Map(types.map((type) => [type.name, type]));
  const read = (step: FlowStep): ReadStep | undefined => {
    const type = byName.get(step.type);
    const { data: settings } = type?.settings.safeParse(step.settings) ?? {};
    return type === undefined || settings === undefined ? undefined : { type, settings };
  };
  return {
    read,
    find: (name) => byName.get(name),
    of: (step) => read(step)?.type ?? unknownType(step.type),
    workOf: (step) => {
      const { type, settings } = read(step) ?? {};
      return {
        agents: type?.agents?.(settings) ?? [],
        workflows: (type?.workflows?.(settings) ?? []).map(({ key }) => key),
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

/** Built-in types that know the patterns of users. */
export function typesWith(
  builtIn: readonly StepType[],
  { patterns }: Pick<WorkflowCode, "patterns">,
): readonly StepType[] {
  if (patterns.length === 0) return builtIn;
  return builtIn.map((type) => type.withPatterns?.(patterns) ?? type);
}
