import type { ConventionTemplate } from "./convention.ts";

/** Whose steps are guarded, and who does them meanwhile. */
export interface GuardedParams {
  readonly guarded: string;
  readonly fallback: string | undefined;
}

/** The convention of whoever does a step. */
export const guardedConvention: ConventionTemplate<GuardedParams> = {
  name: "circuit-breaker/step",
  place: ({ guarded, fallback }) =>
    `This is a circuit breaker: ${guarded} is left alone for a while when it fails again and again${fallback === undefined ? ", and its steps wait" : `, and ${fallback} does its steps`}. You do one step.`,
  result: () => "what came of it",
  rules: () => [
    "Fail at once when what you need does not answer: say `FAILED:` with what did not, instead of trying for long.",
  ],
  data: () => [],
};
