/** By what the use of turns is summed up. */
export const COST_DIMENSIONS = [
  "run",
  "agent",
  "step",
  "turn",
  "model",
  "backend",
  "day",
] as const satisfies readonly string[];

/** One way to sum up. */
export type CostDimension = (typeof COST_DIMENSIONS)[number];
