import { definePattern } from "../../contracts/ports/pattern.ts";
import { runSteps } from "../primitives/run-steps.ts";
import { renderConvention } from "./conventions/convention.ts";
import { fanOutConvention } from "./conventions/fan-out-convention.ts";

/** Workers side by side, independent of each other; done when all are done. One failure stops no other unless the file says `abort`. */
export const fanOutPattern = definePattern({
  name: "fan-out",
  summary: "Independent workers side by side",
  onFailure: "continue",
  order: "none",
  run: (context, definition) => {
    const positions = new Map(definition.steps.map((step, index) => [step.id, index + 1]));
    return runSteps(context, definition, {
      dependsOn: (step) => step.dependsOn,
      convention: (step, facts) =>
        renderConvention(fanOutConvention, {
          ...facts,
          position: positions.get(step.id) ?? 1,
          total: definition.steps.length,
        }),
      metadata: () => ({}),
    });
  },
});
