import type { Step } from "./script.ts";

/** Remembers how often a step was refused: all that the server knows beside the conversation. */
export interface FailureCounter {
  /** Whether the step is to be refused now; counts it if so. */
  isDue(key: string, step: Step): boolean;
}

/** Counts from zero. */
export function createFailureCounter(): FailureCounter {
  const counts = new Map<string, number>();
  return {
    isDue: (key, { fail }) => {
      if (fail === undefined) return false;
      const count = counts.get(key) ?? 0;
      if (fail.times !== undefined && count >= fail.times) return false;
      counts.set(key, count + 1);
      return true;
    },
  };
}
