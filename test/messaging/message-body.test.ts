import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyRunState } from "../../src/fold/state/run-state.ts";
import {
  describeRest,
  readResource,
  shortForm,
  wholeText,
} from "../../src/messaging/message-body.ts";

describe("the beginning of a long text", () => {
  test.each([
    ["all of a text that is not long", "x".repeat(2000), 2000],
    ["all of it, whatever its lines", `${"x".repeat(1200)}\n${"y".repeat(799)}`, 2000],
    ["all of a short one, whatever its lines", `${"x".repeat(1200)}\ny`, 1202],
    ["up to the end of a line", `${"x".repeat(1500)}\n${"y z ".repeat(500)}`, 1500],
    ["up to the end of a line that just fits", `${"x".repeat(2000)}\n${"y".repeat(500)}`, 2000],
    [
      "up to a line in the second half of what may be",
      `${"x".repeat(1000)}\n${"y".repeat(2000)}`,
      1000,
    ],
    ["not up to one before that", `${"x".repeat(999)}\n${"y".repeat(3000)}`, 2000],
    ["up to the end of a word", `${"x".repeat(1990)} ${"y".repeat(500)}`, 1990],
    ["up to the end of a word that just fits", `${"x".repeat(2000)} ${"y".repeat(500)}`, 2000],
    [
      "up to a word in the second half of what may be",
      `${"x".repeat(1000)}\t${"y".repeat(2000)}`,
      1000,
    ],
    ["not up to one before that, too", `${"x".repeat(999)} ${"y".repeat(3000)}`, 2000],
    ["in whole characters", `${"x".repeat(1999)}🎭${"y".repeat(500)}`, 1999],
    ["in as many characters as fit", `${"x".repeat(1998)}🎭${"y".repeat(500)}`, 2000],
  ])("is %s [MSG-9]", (_what, text, length) => {
    expect(shortForm(text)).toBe(text.slice(0, length));
  });

  test("is never too long, stands in the text and cuts no character [MSG-9]", () => {
    const piece = fc.constantFrom("x".repeat(700), "🎭".repeat(300), " ", "\n");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        const short = shortForm(text);
        expect(text.startsWith(short)).toBe(true);
        expect([short.length <= 2000, short.isWellFormed()]).toEqual([true, true]);
        expect(short.length).toBeGreaterThanOrEqual(Math.min(text.length, 1000));
      }),
    );
  });

  test("says how to get the rest, where there is one [MSG-9]", () => {
    const body = { ref: "abc", sizeBytes: 20_000 };
    expect(describeRest({ text: "begin", body })).toBe(
      'This is the beginning of 20000 bytes. Get the rest with resource_read, ref "abc", offset 5.',
    );
    expect(describeRest({ text: "all" })).toBeUndefined();
  });
});

const TEXT = `${"x".repeat(69_999)}🎭${"y".repeat(999)}`;
const state = emptyRunState("run_a");
for (const ref of ["abc", "lost"]) state.messages.bodies.add(ref);
const source = {
  state,
  textOf: (ref: string) => (ref === "lost" ? undefined : TEXT),
};

describe("a part of it", () => {
  const read = (offset?: number, limit?: number) =>
    readResource(source, {
      ref: "abc",
      ...(offset === undefined ? {} : { offset }),
      ...(limit === undefined ? {} : { limit }),
    });

  test("begins where it is asked for and says where the next one begins [MSG-9]", () => {
    expect(read(10, 5)).toEqual({
      ref: "abc",
      text: "xxxxx",
      offset: 10,
      next: 15,
      totalChars: TEXT.length,
    });
    expect(read()).toMatchObject({ offset: 0, next: 16_000 });
    expect(read(-5, 5)).toMatchObject({ offset: 0, next: 5 });
    expect(read(0, 100_000)).toMatchObject({ offset: 0, next: 64_000 });
    const last = read(70_990, 100);
    expect([last.text, "next" in last]).toEqual(["y".repeat(10), false]);
    expect(read(80_000)).toEqual({ ref: "abc", text: "", offset: 71_000, totalChars: 71_000 });
  });

  test("never ends inside of a character, and always goes on [MSG-9]", () => {
    expect(read(69_990, 10)).toMatchObject({ text: "x".repeat(9), next: 69_999 });
    expect(read(69_999, 1)).toMatchObject({ text: "🎭", next: 70_001 });
    expect(read(69_999, 0)).toMatchObject({ text: "🎭", next: 70_001 });
    expect(read(69_998, 3)).toMatchObject({ text: "x🎭", next: 70_001 });
  });

  test("is refused where nothing refers to it, and told as lost where the journal lacks it [MSG-9]", () => {
    expect(() => readResource(source, { ref: "other" })).toThrow(
      expect.objectContaining({ code: "MESSAGE_UNKNOWN_RESOURCE", details: { ref: "other" } }),
    );
    expect(() => readResource(source, { ref: "lost" })).toThrow(
      expect.objectContaining({ code: "MESSAGE_RESOURCE_LOST", details: { ref: "lost" } }),
    );
  });
});

test("a message whose rest is lost is read as what is left of it", () => {
  const body = { ref: "abc", sizeBytes: 71_000 };
  expect(wholeText(source, { text: "xx" })).toBe("xx");
  expect(wholeText(source, { text: "xx", body })).toBe(TEXT);
  expect(wholeText(source, { text: "xx", body: { ...body, ref: "lost" } })).toBe("xx");
});
