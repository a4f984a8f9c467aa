import fc from "fast-check";
import { expect, test } from "vitest";
import { branchesToPrune, fitnessIn } from "../../../src/programs/primitives/pruner.ts";

const ratings = fc
  .array(fc.integer({ min: -5, max: 5 }), { maxLength: 12 })
  .map((all) => new Map(all.map((rating, index) => [`b${index}`, rating])));
const bounds = fc.record(
  {
    pruneThreshold: fc.integer({ min: -6, max: 6 }),
    beamWidth: fc.integer({ min: 1, max: 12 }),
  },
  { requiredKeys: [] },
);

test("all below the threshold go, and of the others all but the best; of equals the earlier stays [PRM-pruner]", () => {
  fc.assert(
    fc.property(ratings, bounds, (rated, given) => {
      const { pruneThreshold = -Infinity, beamWidth = Infinity } = given;
      const gone = new Set(branchesToPrune(rated, given));
      const all = [...rated];
      const kept = all.filter(([branch]) => !gone.has(branch));
      const able = all.filter(([, rating]) => rating >= pruneThreshold);
      expect(kept).toHaveLength(Math.min(able.length, beamWidth));
      for (const [branch, rating] of kept) {
        expect(rating).toBeGreaterThanOrEqual(pruneThreshold);
        const place = all.findIndex(([other]) => other === branch);
        for (const [other, worse] of able.filter(([name]) => gone.has(name))) {
          expect(worse).toBeLessThanOrEqual(rating);
          if (worse === rating)
            expect(all.findIndex(([name]) => name === other)).toBeGreaterThan(place);
        }
      }
    }),
  );
});

test("without a bound nothing goes, and a wider beam or a lower threshold cuts off no more [PRM-pruner]", () => {
  fc.assert(
    fc.property(ratings, bounds, (rated, given) => {
      expect(branchesToPrune(rated, {})).toEqual([]);
      const { pruneThreshold = 0, beamWidth = 3 } = given;
      const narrow = new Set(branchesToPrune(rated, { pruneThreshold, beamWidth }));
      for (const wider of [
        { pruneThreshold, beamWidth: beamWidth + 1 },
        { pruneThreshold: pruneThreshold - 1, beamWidth },
      ])
        expect(branchesToPrune(rated, wider).length).toBeLessThanOrEqual(narrow.size);
    }),
  );
});

test.each<readonly [string, readonly string[], number | undefined]>([
  ["a number", ["7"], 7],
  ["a number and why", ["-2.5\tit wanders off"], -2.5],
  ["several, of which the last counts", ["7", "3 now"], 3],
  ["words", ["very good"], undefined],
  ["nothing", [" "], undefined],
  ["more than there is", ["Infinity"], undefined],
  ["no signal", [], undefined],
])("the fitness is read from %s [PRM-pruner]", (_what, values, fitness) => {
  const signals = values.map((value) => ({ kind: "fitness", value, by: "text" }) as const);
  const done = { kind: "done", value: "9", by: "text" } as const;
  expect(fitnessIn([done, ...signals, done])).toBe(fitness);
});
