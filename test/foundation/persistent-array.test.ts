import fc from "fast-check";
import { expect, test } from "vitest";
import { PersistentArray } from "../../src/foundation/persistent-array.ts";

/** Indexes close to each other, and far enough apart that the array has several levels. */
const indexes = fc.oneof(fc.nat(40), fc.nat(1100), fc.nat(40_000));
const values = fc.oneof(
  fc.constant(undefined),
  fc.integer(),
  fc.array(fc.integer(), { maxLength: 3 }),
);

test("a persistent array holds what a map would, and every version of it stays as it was [STP-5]", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(indexes, values), { maxLength: 40 }), (changes) => {
      let array = PersistentArray.empty<number | number[]>();
      let map = new Map<number, number | number[] | undefined>();
      const versions = [{ array, map }];
      for (const [index, value] of changes) {
        array = array.with(index, value);
        map = new Map(map).set(index, value);
        versions.push({ array, map });
      }
      const asked = changes.flatMap(([index]) => [index, index + 1, index + 32]);
      for (const version of versions)
        for (const index of asked) expect(version.array.at(index)).toBe(version.map.get(index));
    }),
    { numRuns: 200 },
  );
});

test("one more value in a persistent array shares all but a few slots with the array before [STP-5]", () => {
  let array = PersistentArray.empty<object>();
  const first = {};
  array = array.with(0, first);
  for (let index = 1; index < 50_000; index += 1) array = array.with(index, {});
  const before = array;
  const after = before.with(49_999, undefined);
  expect(after.at(0)).toBe(first);
  expect(after.at(49_998)).toBe(before.at(49_998));
  expect([before.at(49_999), after.at(49_999)]).toEqual([{}, undefined]);
});
