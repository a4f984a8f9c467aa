import { expect, test } from "vitest";
import { seededRandom } from "../../src/foundation/random.ts";

function draw(seed: string, count: number): readonly number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => random());
}

test("a seed draws the same numbers in every version: runs that are replayed draw them again", () => {
  expect(draw("run_7k2fq3", 3)).toEqual([
    0.7760096520651132, 0.2716080811806023, 0.24009187100455165,
  ]);
  expect(draw("", 2)).toEqual([0.9267620746977627, 0.4900491207372397]);
});

test("numbers lie in [0, 1), fill it evenly and differ from seed to seed", () => {
  const numbers = draw("even", 10_000);
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  const tenths = Map.groupBy(numbers, (number) => Math.floor(number * 10));
  expect([...tenths.values()].map(({ length }) => length).every((n) => n > 900 && n < 1100)).toBe(
    true,
  );
  const firsts = Array.from({ length: 1000 }, (_, index) => draw(`s${index}`, 1)[0]);
  expect(new Set(firsts).size).toBe(1000);
});
