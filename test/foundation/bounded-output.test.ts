import fc from "fast-check";
import { expect, test } from "vitest";
import { createBoundedOutput } from "../../src/foundation/bounded-output.ts";

test("bounded output is the end of all that was pushed, however its bytes were cut [AGT-6]", () => {
  const part = fc
    .tuple(fc.constantFrom("a", "é", "€", "\u{1F600}", "xyz"), fc.nat(300))
    .map(([text, count]) => text.repeat(count));
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 30 }),
      fc.integer({ min: 1, max: 900 }),
      fc.integer({ min: 1, max: 700 }),
      (parts, max, size) => {
        const whole = parts.join("");
        const bytes = Buffer.from(whole);
        const output = createBoundedOutput(max);
        for (let at = 0; at < bytes.length; at += size) output.push(bytes.subarray(at, at + size));
        expect(output.read()).toEqual({
          text: whole.slice(-max).toWellFormed(),
          isTruncated: whole.length > max,
        });
      },
    ),
  );
});

test("what is no text is kept as far as it goes, and never more than its bound", () => {
  const output = createBoundedOutput(10);
  for (let round = 0; round < 100; round += 1) output.push(Buffer.from([0xff, 0x80, 0x41]));
  const { text, isTruncated } = output.read();
  expect(text.length).toBeLessThanOrEqual(10);
  expect(text.endsWith("A")).toBe(true);
  expect(isTruncated).toBe(true);
});
