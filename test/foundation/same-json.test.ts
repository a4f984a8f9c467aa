import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, type Json, toJson } from "../../src/foundation/json.ts";
import { isSameJson } from "../../src/foundation/same-json.ts";

const values: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 3 })
  .map((value) => toJson(value, "it"));

test("values are the same when their canonical texts are", () => {
  fc.assert(
    fc.property(values, values, (left, right) => {
      expect(isSameJson(left, right)).toBe(canonicalJson(left) === canonicalJson(right));
      expect(isSameJson(left, structuredClone(left))).toBe(true);
    }),
  );
});

test.each<[Json, Json, boolean]>([
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: null }, { b: null }, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [[1, 2], [2, 1], false],
  [[1], [1, null], false],
  [[], {}, false],
  [null, {}, false],
  ["1", 1, false],
])("%j and %j are the same: %s", (left, right, isSame) => {
  expect([isSameJson(left, right), isSameJson(right, left)]).toEqual([isSame, isSame]);
});
