import fc from "fast-check";
import { expect, test } from "vitest";
import { hasMoreValues } from "../../../../src/agents/backends/parts/line-process.ts";
import { processorMs } from "../../../testing/processor-time.ts";

function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, member) => sum + countValues(member), 1);
}

test("no JSON with more values than allowed is missed, and texts count as one", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (json) => {
      expect(hasMoreValues(json, countValues(JSON.parse(json)) - 1)).toBe(true);
    }),
  );
  expect(hasMoreValues(JSON.stringify({ a: 'x,[:"\\,[['.repeat(100), b: "\\" }), 5)).toBe(false);
  expect(hasMoreValues("[1,2,3]", 5)).toBe(false);
});

test.each([
  ["1", 1],
  ['"a,b"', 1],
  ["[]", 2],
  ["[1]", 2],
  ["[1,2,3]", 4],
  ['{"a":1,"b":[2]}', 5],
  [String.raw`["\\",1,"\"[",2]`, 5],
  [String.raw`["\\\"",1]`, 3],
])("%s holds about %d values", (json, count) => {
  expect([hasMoreValues(json, count - 1), hasMoreValues(json, count)]).toEqual([true, false]);
});

test("it takes linear time, whatever the text", () => {
  const texts = ['"', "\\", '"\\', '\\"', "{},", '","'].map((part) => part.repeat(2_000_000));
  for (const text of [...texts, `"${"\\".repeat(4_000_000)}"`])
    expect(processorMs(1000, () => hasMoreValues(text, Infinity))).toBeLessThan(1000);
});
