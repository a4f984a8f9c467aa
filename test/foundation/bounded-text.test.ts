import fc from "fast-check";
import { expect, test } from "vitest";
import { createBoundedText } from "../../src/foundation/bounded-text.ts";

test("a bounded text is the end of all that was appended, in whatever parts it came [AGT-6]", () => {
  const part = fc
    .tuple(fc.constantFrom("a", "é", "\u{1F600}", "xyz"), fc.nat(300))
    .map(([text, count]) => text.repeat(count));
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 30 }),
      fc.integer({ min: 1, max: 900 }),
      (parts, max) => {
        const bounded = createBoundedText(max);
        for (const text of parts) bounded.append(text);
        const whole = parts.join("");
        expect(bounded.text).toBe(whole.slice(-max).toWellFormed());
        expect(bounded.totalChars).toBe(whole.length);
        expect(bounded.isTruncated).toBe(whole.length > max);
      },
    ),
  );
});

test("a long text in single characters is kept whole up to its bound [AGT-6]", () => {
  const bounded = createBoundedText(200_000);
  const whole = Array.from({ length: 450_000 }, (_, index) =>
    String.fromCodePoint(97 + (index % 26)),
  );
  for (const char of whole) bounded.append(char);
  expect(bounded.text).toBe(whole.slice(-200_000).join(""));
});

test("parts are joined across the end of what is kept as bytes [AGT-6]", () => {
  const bounded = createBoundedText(100_001);
  const parts = Array.from({ length: 40 }, (_, index) => `${index}é`.repeat(3000 + index));
  for (const text of parts) bounded.append(text);
  expect(bounded.text).toBe(parts.join("").slice(-100_001));
});

test("a text that is cleared is empty and begins anew, however long it was [AGT-6]", () => {
  const bounded = createBoundedText(200_000);
  for (const chars of [5, 70_000, 300_000]) {
    bounded.append("x".repeat(chars));
    bounded.clear();
    expect([bounded.text, bounded.totalChars, bounded.isTruncated]).toEqual(["", 0, false]);
    bounded.append("new");
    expect([bounded.text, bounded.totalChars, bounded.isTruncated]).toEqual(["new", 3, false]);
    bounded.append("y".repeat(200_000));
    expect(bounded.text).toBe("y".repeat(200_000));
    bounded.clear();
  }
});

test("a text that just fits is whole, and one more character takes the first away [AGT-6]", () => {
  for (const max of [1, 10, 65_536, 65_537, 100_000]) {
    const bounded = createBoundedText(max);
    bounded.append("a".repeat(max));
    expect([bounded.text.length, bounded.isTruncated]).toEqual([max, false]);
    bounded.append("b");
    expect(bounded.text).toBe(`${"a".repeat(max - 1)}b`);
    expect([bounded.totalChars, bounded.isTruncated]).toEqual([max + 1, true]);
  }
});
