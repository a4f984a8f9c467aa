import { expect, test } from "vitest";
import {
  elapsedMs,
  formatDuration,
  isDuration,
  leftMs,
  parseDuration,
} from "../../src/foundation/duration.ts";

test.each([
  ["500ms", 500],
  ["0.6ms", 1],
  ["30s", 30_000],
  ["1.5s", 1500],
  ["0.001s", 1],
  ["10m", 600_000],
  ["2h", 7_200_000],
  ["1d", 86_400_000],
  ["999999999ms", 999_999_999],
])("%s is a duration", (text, durationMs) => {
  expect([isDuration(text), parseDuration(text)]).toEqual([true, durationMs]);
});

test.each([
  "",
  "5",
  "s",
  "-1s",
  "1 s",
  " 1s",
  "1s ",
  "1.s",
  "1.2345s",
  "1e3s",
  "1w",
  "1234567890s",
])("%j is none", (text) => {
  expect(isDuration(text)).toBe(false);
  expect(() => parseDuration(text)).toThrow(`"${text}" is not a duration`);
  expect(() => parseDuration(text, "timeout")).toThrow(
    expect.objectContaining({
      code: "DURATION_INVALID",
      message: `timeout takes a duration, got "${text}"`,
      hint: "write a number and a unit: 500ms, 30s, 10m, 2h, 1d",
    }),
  );
});

test.each([
  [-5, "0ms"],
  [0, "0ms"],
  [849.6, "850ms"],
  [999.4, "999ms"],
  [999.6, "1s"],
  [1000, "1s"],
  [4200, "4.2s"],
  [59_940, "59.9s"],
  [59_960, "1m00s"],
  [60_000, "1m00s"],
  [104_400, "1m44s"],
  [3_599_400, "59m59s"],
  [3_599_600, "1h00m"],
  [7_500_000, "2h05m"],
  [360_000_000, "100h00m"],
])("%d ms are told as %s", (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text);
});

test("a clock that was set back makes nothing last less than nothing and nobody wait for longer", () => {
  expect([elapsedMs(100, 350), elapsedMs(350, 100)]).toEqual([250, 0]);
  expect([leftMs(100, 50, 120), leftMs(100, 50, 170), leftMs(100, 50, 20)]).toEqual([30, -20, 50]);
});
