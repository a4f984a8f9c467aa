import { describe, expect, test } from "vitest";
import {
  defineError,
  fromErrorReport,
  shortenInternal,
  TroupeError,
  toErrorReport,
} from "../../src/foundation/errors.ts";

const lost = defineError("TEST_LOST", {
  message: (details: { id: string; hint?: string }) => `"${details.id}" is lost`,
  hint: ({ hint }) => hint,
  about: "Things get lost.",
});
const busy = defineError("TEST_BUSY", {
  message: () => "all are busy",
  about: "Nobody is free.",
  retryable: true,
});

describe("an error", () => {
  test("says by its code what it is, whether trying again helps, and what it came from", () => {
    expect([lost.code, lost.about, lost.retryable, busy.retryable]).toEqual([
      "TEST_LOST",
      "Things get lost.",
      false,
      true,
    ]);
    const cause = new Error("gone");
    const error = lost({ id: "a", hint: "look for it" }, { cause, file: "x.yaml", line: 3 });
    expect(error).toBeInstanceOf(TroupeError);
    expect(error).toMatchObject({
      name: "TroupeError",
      code: "TEST_LOST",
      message: '"a" is lost',
      hint: "look for it",
      retryable: false,
      details: { id: "a", hint: "look for it" },
      place: { file: "x.yaml", line: 3 },
      cause,
    });
    expect(busy({}).retryable).toBe(true);
    expect("cause" in busy({})).toBe(false);
  });

  test("is the same after it was data, with nothing in it that it does not have", () => {
    const whole = lost({ id: "a", hint: "look" }, { file: "x.yaml", line: 3, column: 7 });
    const report = {
      code: "TEST_LOST",
      message: '"a" is lost',
      hint: "look",
      file: "x.yaml",
      line: 3,
      column: 7,
      details: { id: "a", hint: "look" },
    };
    expect(Object.entries(toErrorReport(whole)).toSorted()).toEqual(
      Object.entries(report).toSorted(),
    );
    const bare = toErrorReport(busy(undefined));
    expect(Object.entries(bare)).toEqual([
      ["code", "TEST_BUSY"],
      ["message", "all are busy"],
      ["retryable", true],
    ]);
    for (const error of [whole, busy(undefined)])
      expect(toErrorReport(fromErrorReport(toErrorReport(error)))).toEqual(toErrorReport(error));
  });

  test("that nobody declared is reported as an internal one with what it says", () => {
    expect(toErrorReport(new RangeError("too deep"))).toEqual({
      code: "INTERNAL",
      message: "too deep",
    });
    expect(toErrorReport("thrown text")).toEqual({ code: "INTERNAL", message: "thrown text" });
    expect(toErrorReport(undefined)).toEqual({ code: "INTERNAL", message: "undefined" });
  });
});

test("of an internal error only the beginning is told, of any other all", () => {
  const message = `${"x".repeat(999)}😀${"y".repeat(50)}`;
  const internal = { code: "INTERNAL", message, file: "x" };
  expect(shortenInternal(internal)).toEqual({
    code: "INTERNAL",
    message: `${"x".repeat(999)}\ufffd… (51 more characters)`,
    file: "x",
  });
  const most = { code: "INTERNAL", message: "x".repeat(1000) };
  expect(shortenInternal(most)).toEqual(most);
  expect(shortenInternal({ code: "TEST_LOST", message })).toEqual({ code: "TEST_LOST", message });
});
