import type { StepsDefinition } from "../../../src/contracts/definition.ts";
import type { LoadedWorkflow } from "../../../src/workflows/parse-workflow.ts";
import type { LoadOptions } from "../../../src/workflows/resolve/load-options.ts";
import { loadOptions, parse } from "../load-options.ts";
import { testStepTypes } from "./step-types.ts";

/** A step workflow that was loaded. */
export interface LoadedSteps extends LoadedWorkflow {
  readonly definition: StepsDefinition | undefined;
}

/** Loads a text as the step workflow `flow.yaml`. */
export function loadSteps(
  text: string,
  options: Partial<LoadOptions> = {},
  file = "flow.yaml",
): LoadedSteps {
  const loaded = parse(text, file, {
    ...loadOptions,
    stepTypes: testStepTypes,
    ...options,
  });
  const { definition } = loaded;
  return { ...loaded, definition: definition?.shape === "steps" ? definition : undefined };
}
