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

test.each([
  ["nothing", 10, [], "", false],
  ["an empty part", 10, [""], "", false],
  ["what just fits", 5, ["abcde"], "abcde", false],
  ["what just fits in parts, and an empty one", 5, ["abc", "de", ""], "abcde", false],
  ["one byte too many", 5, ["abcde", "f"], "bcdef", true],
  ["a part that is longer than all that is kept", 5, ["x", "abcdefgh"], "defgh", true],
  ["parts that go around several times", 5, ["abc", "def", "ghi", "j"], "fghij", true],
  ["what just fits in characters of two bytes", 5, ["ééééé"], "ééééé", false],
  ["plain text before others", 5, ["abcd", "é"], "abcdé", false],
  ["plain text that was cut before others came", 5, ["abcdef", "é"], "cdefé", true],
  ["half a character", 1, ["\u{1F600}"], "\ufffd", true],
  ["others before plain text", 5, ["é", "abcd", "e"], "abcde", true],
])(
  "of %s the end is kept, and whether that is all is told",
  (...[, max, parts, text, isTruncated]) => {
    const output = createBoundedOutput(max);
    for (const part of parts) output.push(Buffer.from(part));
    expect(output.read()).toEqual({ text, isTruncated });
    // To be read changes nothing.
    expect(output.read()).toEqual({ text, isTruncated });
  },
);

test("what is pushed is copied", () => {
  const output = createBoundedOutput(10);
  const chunk = Buffer.from("abc");
  output.push(chunk);
  chunk.fill(0);
  expect(output.read().text).toBe("abc");
});
