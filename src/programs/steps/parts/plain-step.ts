import type { StepType } from "../../../contracts/ports/step-type.ts";

/** What a type of step is when it says nothing else: it goes on by `next`, holds no other steps, and may stand anywhere. */
export const PLAIN_STEP = {
  routes: [],
  goesOn: "next",
  nested: "none",
  mayBeNested: true,
  expressions: [],
  templates: [],
  deadline: "scope",
} as const satisfies Partial<StepType>;
