import { defineError } from "../../foundation/errors.ts";
import { didYouMean } from "../../foundation/near-names.ts";

export const stepUnknown = defineError("RUN_STEP_UNKNOWN", {
  message: (details: { run: string; step: string; known: readonly string[] }) =>
    `${details.run} has no step "${details.step}"`,
  hint: ({ step, known }) => didYouMean(step, known),
  about:
    "A step is named by its id as the workflow file has it, or by its full place in the run: all-files[0]/check.",
});
