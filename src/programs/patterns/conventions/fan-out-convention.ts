import type { ConventionTemplate } from "./convention.ts";

/** Where a worker stands in a fan-out. */
export interface FanOutParams {
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
