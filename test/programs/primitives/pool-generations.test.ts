import fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../../../src/foundation/random.ts";
import {
  breed,
  culledCount,
  founders,
  type PoolMember,
  rankMembers,
  survivorsOf,
} from "../../../src/programs/primitives/pool-generations.ts";

const memberOf = (fitness: number, index: number): PoolMember => ({
  name: `m${index}`,
  fitness,
  generation: 0,
});
const populations = fc
  .array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 20 })
  .map((all) => all.map(memberOf));
const rates = fc.double({ min: 0, max: 1, noNaN: true });

test("the least fit go, as many as the rate says, and one at least stays; of equals the earlier one stays [PRM-pool.generations]", () => {
  fc.assert(
    fc.property(populations, rates, (members, cullRate) => {
      const rules = { populationSize: members.length, cullRate };
      const stay = survivorsOf(members, rules);
      expect(stay.length).toBe(members.length - culledCount(rules));
      expect(stay.length).toBeGreaterThanOrEqual(1);
      const gone = members.filter((member) => !stay.includes(member));
      const worst = Math.min(...stay.map(({ fitness }) => fitness));
      for (const { fitness } of gone) expect(fitness).toBeLessThanOrEqual(worst);
      const order = (list: readonly PoolMember[]) =>
        list.filter(({ fitness }) => fitness === worst).map(({ name }) => name);
      expect(order(stay)).toEqual(order(members).slice(0, order(stay).length));
    }),
  );
  expect(culledCount({ populationSize: 10, cullRate: 0.3 })).toBe(3);
  expect(culledCount({ populationSize: 8, cullRate: 1 })).toBe(7);
});

test("whoever has died counts as culled, so that the fit do not go in its place [PRM-pool.generations]", () => {
  const three = [3, 1, 2].map(memberOf);
  const names = survivorsOf(three, { populationSize: 4, cullRate: 0.25 }).map(({ name }) => name);
  expect(names).toEqual(["m0", "m2", "m1"]);
});

test("children have parents among those that stay, names of their own, and are the same under the same seed [PRM-pool.generations]", () => {
  fc.assert(
    fc.property(
      populations,
      fc.record({ count: fc.nat(10), seed: fc.string(), crossover: fc.boolean() }),
      (stay, { count, seed, crossover }) => {
        const breeding = { agent: "dev", generation: 2, count, crossover };
        const born = breed(stay, breeding, seededRandom(seed));
        expect(born.map(({ name }) => name)).toEqual(
          Array.from({ length: count }, (_, index) => `dev-g2-${index}`),
        );
        for (const { parents } of born) {
          expect(parents).toHaveLength(crossover && stay.length > 1 ? 2 : 1);
          expect(new Set(parents).size).toBe(parents.length);
          expect(stay.map(({ name }) => name)).toEqual(expect.arrayContaining([...parents]));
        }
        expect(breed(stay, breeding, seededRandom(seed))).toEqual(born);
      },
    ),
  );
});

test("the fitter have more children, and the others some [PRM-pool.generations]", () => {
  const stay = [1, 2, 3, 4].map(memberOf);
  const breeding = { agent: "dev", generation: 1, count: 4000, crossover: false };
  const born = breed(stay, breeding, seededRandom("some"));
  const of = (name: string) => born.filter(({ parents }) => parents[0] === name).length;
  const counts = ["m0", "m1", "m2", "m3"].map(of);
  // The fitter of two: 1, 3, 5 and 7 of 16.
  for (const [index, count] of counts.entries())
    expect(Math.abs(count - (4000 * (2 * index + 1)) / 16)).toBeLessThan(120);
});

test("the first generation are nobody's children [PRM-pool.generations]", () => {
  expect(founders("dev", { populationSize: 2, cullRate: 0.5 })).toEqual([
    { name: "dev-g0-0", generation: 0, parents: [] },
    { name: "dev-g0-1", generation: 0, parents: [] },
  ]);
  expect(rankMembers([1, 3, 3].map(memberOf)).map(({ name }) => name)).toEqual(["m1", "m2", "m0"]);
});
