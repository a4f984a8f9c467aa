import { expect, test } from "vitest";
import { builtInPatterns } from "../../../src/programs/patterns/registry.ts";
import { PATTERN_TRUTHS } from "./pattern-truths.ts";
import { simulationOf } from "./simulations.ts";

const SEEDS = [2, 3, ...Array.from({ length: 25 }, (_, index) => 1001 + index)];

test.for(builtInPatterns.map(({ name }) => name))(
  "what %s says of a run is true in many simulated runs, which all end within their bounds [PAT-ends.bounded, SDK-3]",
  async (pattern) => {
    const simulation = await simulationOf(pattern);
    const truth = PATTERN_TRUTHS[pattern] ?? (() => []);
    const outcomes = new Set<string>();
    const untrue: string[] = [];
    for (const seed of SEEDS) {
      const { played, violations, outcome } = await simulation.run(seed);
      outcomes.add(outcome);
      const said = played === undefined ? [] : truth(played);
      untrue.push(...[...violations, ...said].map((each) => `seed ${seed}, ${outcome}: ${each}`));
    }
    expect(untrue).toEqual([]);
    // Otherwise nothing was tried.
    expect(outcomes).toContain("completed");
  },
);
