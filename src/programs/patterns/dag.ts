import { definePattern } from "../../contracts/ports/pattern.ts";
import { runSteps } from "../primitives/run-steps.ts";
import { outputOfStep } from "../primitives/step-results.ts";
import { renderConvention } from "./conventions/convention.ts";
import { dagConvention } from "./conventions/dag-convention.ts";

/** A graph of steps: each starts the moment its own dependencies are done; a failure blocks its descendants only. */
export const dagPattern = definePattern({
  name: "dag",
  summary: "A graph of steps, each as soon as what it depends on is done",
  onFailure: "continue",
  order: "graph",
  run: (context, definition) => {
    const ids = new Set(definition.steps.map((step) => step.id));
    const downstream = Map.groupBy(
      definition.steps.flatMap((step) =>
        step.dependsOn.map((dependency) => ({ dependency, id: step.id })),
      ),
      ({ dependency }) => dependency,
    );
    return runSteps(context, definition, {
      dependsOn: (step) => step.dependsOn,
      convention: (step, facts, results) =>
        renderConvention(dagConvention, {
          ...facts,
          step: step.id,
          upstream: step.dependsOn
            .filter((id) => ids.has(id))
            .map((id) => ({ step: id, output: outputOfStep(results.get(id)) })),
          downstream: (downstream.get(step.id) ?? []).map(({ id }) => id),
        }),
      metadata: () => ({}),
    });
  },
});
