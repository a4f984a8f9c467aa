import { expect, test } from "vitest";
import { seededRandom } from "../../src/foundation/random.ts";
import { lengthOf, SHORTEST, SHORTEST_TOUR } from "./berlin52.ts";
import { agrees, meanOf, shareOf } from "./interval.ts";

test("bounds of 99 percent leave the truth out about once in a hundred times", () => {
  const draw = seededRandom("intervals");
  const out = { share: 0, mean: 0 };
  for (let count = 0; count < 2000; count += 1) {
    const tries = Array.from({ length: 200 }, () => (draw() < 0.3 ? 1 : 0));
    const successes = tries.filter((each) => each === 1).length;
    if (!agrees(shareOf(successes, tries.length), 0.3)) out.share += 1;
    if (!agrees(meanOf(tries), 0.3)) out.mean += 1;
  }
  // Of 2,000, twenty are expected; ten standard deviations would be 45 more.
  for (const missed of Object.values(out)) {
    expect(missed).toBeGreaterThan(4);
    expect(missed).toBeLessThan(65);
  }
});

test("a share has bounds where all or none succeeded, and one value says nothing", () => {
  expect(shareOf(0, 50)).toMatchObject({ value: 0, low: 0, high: expect.closeTo(0.117, 2) });
  expect(shareOf(50, 50)).toMatchObject({ value: 1, high: 1 });
  expect(meanOf([3])).toEqual({
    value: 3,
    low: Number.NEGATIVE_INFINITY,
    high: Number.POSITIVE_INFINITY,
  });
});

test("the places of Berlin are those of TSPLIB: its shortest tour has the length that is published", () => {
  expect(new Set(SHORTEST_TOUR).size).toBe(52);
  expect(lengthOf(SHORTEST_TOUR)).toBe(SHORTEST);
});
