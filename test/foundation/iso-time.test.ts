import { expect, test } from "vitest";
import { fromIsoTime, toIsoTime } from "../../src/foundation/iso-time.ts";

test.each([
  ["2026-02-28T10:20Z", "2026-02-28T10:20:00.000Z"],
  ["2026-02-28T10:20:30Z", "2026-02-28T10:20:30.000Z"],
  ["2026-02-28T10:20:30.123456789Z", "2026-02-28T10:20:30.123Z"],
  ["2026-02-28T23:20:30.5+05:30", "2026-02-28T17:50:30.500Z"],
  ["2026-02-28T23:20:30-01:00", "2026-03-01T00:20:30.000Z"],
  ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
])("%s is a time", (text, written) => {
  const timeMs = fromIsoTime(text);
  expect(timeMs === undefined ? timeMs : toIsoTime(timeMs)).toBe(written);
});

test.each([
  ["a day alone", "2026-02-28"],
  ["a time without its zone", "2026-02-28T10:20:30"],
  ["a day that the month does not have", "2026-02-30T10:20:30Z"],
  ["a month that there is not", "2026-13-01T10:20:30Z"],
  ["an hour that there is not", "2026-02-28T25:20:30Z"],
  ["text before it", "at 2026-02-28T10:20:30Z"],
  ["text behind it", "2026-02-28T10:20:30Z or so"],
  ["a fraction without digits", "2026-02-28T10:20:30.Z"],
  ["anything else", "yesterday"],
])("%s is none", (_what, text) => {
  expect(fromIsoTime(text)).toBeUndefined();
});
