import fc from "fast-check";
import { expect, test } from "vitest";
import { isFoundIn } from "../../../src/programs/language/expressions/functions.ts";

test("long texts are found where short ones would be [WF-5]", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 201, maxLength: 260 });
  const around = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 300 });
  fc.assert(
    fc.property(text, around, around, (wanted, before, after) => {
      expect(isFoundIn(wanted, before + wanted + after)).toBe(true);
      const other = `${before}${wanted.slice(1)}${after}`;
      expect(isFoundIn(wanted, other)).toBe(other.includes(wanted));
    }),
    { seed: 1 },
  );
});
