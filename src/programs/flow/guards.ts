import type { StepGuard } from "../../contracts/ports/step-type.ts";

/** Ends what would go round for ever. */
const iterations: StepGuard = {
  name: "max_iterations",
  check: ({ metadata }, { maxIterations }) =>
    metadata.iterationCount < maxIterations
      ? undefined
      : `${maxIterations} steps have run, as many as max_iterations allows; look at what leads back`,
};

/** Ends what fails again and again. */
const errors: StepGuard = {
  name: "max_errors",
  check: ({ metadata }, { maxErrors }) =>
    metadata.errorCount < maxErrors
      ? undefined
      : `${maxErrors} steps have failed, as many as max_errors allows`,
};

/**
 * Every built-in guard that looks at a workflow between two steps. `max_duration_ms` does not wait for that: it is a
 * deadline.
 */
export const builtInGuards: readonly StepGuard[] = [iterations, errors];
