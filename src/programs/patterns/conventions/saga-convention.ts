import { type ConventionTemplate, inOneLine } from "./convention.ts";

/** Where a step stands in a saga. */
export interface SagaParams {
  /** Id of this step. */
  readonly step: string;
}

/** The convention of whoever does a step. */
export const sagaConvention: ConventionTemplate<SagaParams> = {
  name: "saga/step",
  place: ({ step }) =>
    `This is a saga: when a step fails, what the steps before it did is undone. You do step "${inOneLine(step)}".`,
  result: () => "all that somebody must know to undo what you did: names, numbers, paths of files",
  rules: () => [
    "Do all of it or nothing: if you cannot finish, put back what you have changed, and say `FAILED:` with what went wrong. A step that has failed is not undone by anybody else.",
  ],
  data: () => [],
};

/** What is to be undone, and why. */
export interface CompensationParams extends SagaParams {
  /** What the step handed over. */
  readonly output: string;
  /** Why the run has failed. */
  readonly reason: string;
}

/** The convention of whoever undoes a step. */
export const compensationConvention: ConventionTemplate<CompensationParams> = {
  name: "saga/compensation",
  place: ({ step }) =>
    `This is a saga that has failed: what its steps did is undone, the last one first. You undo step "${inOneLine(step)}".`,
  result: () => "what was undone, and what could not be",
  rules: ({ step }) => [
    `Undo what step "${inOneLine(step)}" did and nothing else: each other step is undone by itself.`,
    "What is undone already is no failure: this may be the second time that you are asked.",
  ],
  data: ({ step, output, reason }) => [
    { label: `output of step "${step}"`, text: output },
    { label: "why the saga failed", text: reason },
  ],
};
