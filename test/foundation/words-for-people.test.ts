import { expect, test } from "vitest";
import { count } from "../../src/foundation/count.ts";
import { namedFiles } from "../../src/foundation/named-files.ts";

test("a number is told with its noun as it is said", () => {
  expect([0, 1, 2].map((number) => count(number, "step"))).toEqual([
    "0 steps",
    "1 step",
    "2 steps",
  ]);
  expect([1, 2].map((number) => count(number, "entry", "entries"))).toEqual([
    "1 entry",
    "2 entries",
  ]);
});

test("some files are named, and the others counted", () => {
  expect(namedFiles({ files: ["a.ts", "b.ts"], more: 0 })).toBe("a.ts, b.ts");
  expect(namedFiles({ files: ["a.ts"], more: 1 })).toBe("a.ts and 1 more");
});
