import fc from "fast-check";
import { expect, test } from "vitest";
import { endOfOutput } from "../../src/foundation/output-end.ts";

test("the end of an output takes at most twice its bound as JSON, and no less than it may [AGT-6]", () => {
  const unit = fc.constantFrom("a", "\n", "\u0000", "\v", '"', "\\", "\u001b", "é", "\u{1F600}");
  fc.assert(
    fc.property(
      fc.array(unit, { maxLength: 60 }),
      fc.integer({ min: 1, max: 40 }),
      (units, max) => {
        const whole = units.join("");
        const { text, isTruncated } = endOfOutput(whole, max);
        const fits = (start: number) => {
          const end = whole.slice(start);
          return end.length <= max && JSON.stringify(end.toWellFormed()).length - 2 <= max * 2;
        };
        const first = Array.from({ length: whole.length + 1 }, (_, at) => at).find(fits) ?? 0;
        expect(text).toBe(whole.slice(first).toWellFormed());
        expect(isTruncated).toBe(first > 0);
      },
    ),
  );
});

test("every ASCII character counts as long as it is in JSON [AGT-6]", () => {
  for (let unit = 0; unit < 0x80; unit += 1) {
    const char = String.fromCharCode(unit);
    const chars = JSON.stringify(char).length - 2;
    // Of the 14 characters of JSON that there are, two controls take 12.
    const isKept = (rest: string) => endOfOutput(`${char}${rest}\0\0`, 7).text.startsWith(char);
    expect([unit, isKept("a"), isKept("")]).toEqual([unit, chars === 1, unit === 0 || chars <= 2]);
  }
});

test("a mebi of characters is kept unless another bound is asked for [AGT-6]", () => {
  const whole = "x".repeat(1_048_576);
  expect(endOfOutput(whole)).toEqual({ text: whole, isTruncated: false });
  const { text, isTruncated } = endOfOutput(`y${whole}`);
  expect([text === whole, isTruncated]).toEqual([true, true]);
});
