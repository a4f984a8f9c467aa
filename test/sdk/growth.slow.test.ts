import { expect, test } from "vitest";
import { measureGrowth } from "../bench/growth.ts";

const FEW = 500;
const MOST_TIMES = 12;

for (const [kind, what] of [
  ["loop", "rounds of a loop"],
  ["broadcasts", "messages to all"],
] as const) {
  test(`ten times as many ${what} cost at most twelve times the time, memory and bytes [PERF-15]`, () => {
    const { few, many, times } = measureGrowth(kind, FEW);
    expect(many.bytes).toBeGreaterThan(few.bytes);
    expect(times.ms).toBeLessThanOrEqual(MOST_TIMES);
    expect(times.mb).toBeLessThanOrEqual(MOST_TIMES);
    expect(times.bytes).toBeLessThanOrEqual(MOST_TIMES);
  });
}
