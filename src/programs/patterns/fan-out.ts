import { definePattern } from "../../contracts/ports/pattern.ts";
import { runSteps } from "../primitives/run-steps.ts";
import { dependenciesIn, stepOrder } from "../primitives/step-order.ts";
import { type ConventionTemplate, renderConvention } from "./conventions/convention.ts";

const ORDER = { order: "none" } as const;

/** Workers side by side, independent of each other; done when all are done. One failure stops no other unless the file says `abort`. */
export const fanOutPattern = definePattern({
  name: "fan-out",
  summary: "Independent workers side by side",
  onFailure: "continue",
  ...ORDER,
  run: (context, definition) => {
    const positions = new Map(definition.steps.map((step, index) => [step.id, index + 1]));
    return runSteps(context, definition, {
      dependsOn: dependenciesIn(stepOrder(ORDER, definition.mode), definition.steps),
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

/** Where a worker stands in a fan-out. */
interface FanOutParams {
  /** From 1. */
  readonly position: number;
  readonly total: number;
}

/** The convention of a fan-out's worker. */
export const fanOutConvention: ConventionTemplate<FanOutParams> = {
  name: "fan-out/worker",
  place: ({ position, total }) =>
    `This is a fan-out: ${total} ${total === 1 ? "worker does its task" : "workers do their tasks side by side"}. You are worker ${position} of ${total}.`,
  result: () => "a summary of what you did and found",
  rules: () => ["Your task is independent: do not wait for other workers, nor do their work."],
  data: () => [],
};
