import { z } from "zod";
import type { StepType } from "../../contracts/ports/step-type.ts";
import { PLAIN_STEP } from "./parts/plain-step.ts";

const settings = z.strictObject({
  transform: z
    .string()
    .min(1)
    .describe("An expression or a path, such as `context.plan.files`; its value is the data."),
});

/** Takes a value out of the context, for steps that want it under a name of its own. */
export const transformStep = {
  ...PLAIN_STEP,
  name: "transform",
  summary: "Keeps the value of an expression",
  settings,
  expressions: ["transform"],
  run: async ({ scope, settings: { transform } }) => ({ data: scope.value(transform) }),
} as const satisfies StepType<z.infer<typeof settings>>;
