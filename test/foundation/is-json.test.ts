import fc from "fast-check";
import { expect, test } from "vitest";
import { isJson, toJson } from "../../src/foundation/json.ts";

test("what is JSON as it stands is what comes out of it as JSON, whatever it is", () => {
  const value = fc.anything({ withNullPrototype: true, withSparseArray: true, withDate: true });
  fc.assert(
    fc.property(fc.oneof(value, fc.jsonValue()), (given) => {
      if (!isJson(given)) return;
      const json = toJson(given, "a value");
      expect(JSON.stringify(given)).toBe(JSON.stringify(json));
      expect(given).toEqual(json);
    }),
    { numRuns: 2000 },
  );
});

test("plain JSON is told as such", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (given) => {
      expect(isJson(JSON.parse(JSON.stringify(given).toWellFormed()))).toBe(true);
    }),
  );
});

test.each([
  ["nothing", undefined],
  ["a member without a value", { a: undefined }],
  ["a hole", new Array(2)],
  ["half a surrogate", "\ud800"],
  ["half a surrogate in a name", { "\ud800": 1 }],
  ["minus zero", -0],
  ["no number", [Number.NaN]],
  ["a function", () => 1],
  ["a date", new Date(0)],
  ["a large integer", 1n],
])("%s is none", (_name, given) => {
  expect(isJson(given)).toBe(false);
});

test("what leads back to itself, or lies too deep, is none", () => {
  const round: { within?: unknown } = {};
  round.within = round;
  expect(isJson(round)).toBe(false);
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  expect(isJson(deep)).toBe(false);
});
