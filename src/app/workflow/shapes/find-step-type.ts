import { z } from "zod";
import type { StepType } from "../../../contracts/ports/step-type.ts";
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
