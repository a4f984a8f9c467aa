import { expect, test } from "vitest";
import { present } from "../../src/foundation/present.ts";

test("what is undefined is left out, keys and all, and every other value stays in its order", () => {
  const given = { none: undefined, zero: 0, nothing: null, empty: "", no: false, gone: undefined };
  const left = present(given);
  expect(Object.entries(left)).toEqual([
    ["zero", 0],
    ["nothing", null],
    ["empty", ""],
    ["no", false],
  ]);
  expect(Object.keys(given)).toHaveLength(6);
});
