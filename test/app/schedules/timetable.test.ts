import { expect, test } from "vitest";
import { parseCron } from "../../../src/app/schedules/cron-pattern.ts";
import { createTimetable } from "../../../src/app/schedules/timetable.ts";

const cron = (pattern: string, timeZone = "UTC") =>
  createTimetable({ kind: "cron", cron: pattern, timeZone });
const every = (period: string, since = "2026-01-01T00:00:00.000Z") =>
  createTimetable({ kind: "every", every: period, since });
const at = (text: string) => Date.parse(text);
const iso = (timeMs: number) => new Date(timeMs).toISOString().replace(":00.000Z", "Z");

/** The times of a timetable that come after one. */
function following(table: ReturnType<typeof cron>, from: string, count: number): readonly string[] {
  const times: number[] = [];
  for (let time = at(from); times.length < count; times.push(time)) time = table.nextAfter(time);
  return times.map(iso);
}

test.each([
  ["0 3 * * *", ["2026-01-01T03:00Z", "2026-01-02T03:00Z"]],
  ["*/20 8-9 * * *", ["2026-01-01T08:00Z", "2026-01-01T08:20Z"]],
  ["5/25 0 * * *", ["2026-01-01T00:05Z", "2026-01-01T00:30Z"]],
  ["0 12 1,15 * *", ["2026-01-01T12:00Z", "2026-01-15T12:00Z"]],
  ["0 0 * feb-mar mon", ["2026-02-02T00:00Z", "2026-02-09T00:00Z"]],
  ["0 0 * * 7", ["2026-01-04T00:00Z", "2026-01-11T00:00Z"]],
  ["0 0 13 * 5", ["2026-01-02T00:00Z", "2026-01-09T00:00Z"]],
  ["0 0 29 2 *", ["2028-02-29T00:00Z", "2032-02-29T00:00Z"]],
  ["@weekly", ["2026-01-04T00:00Z", "2026-01-11T00:00Z"]],
])("the pattern %s means these times [DMN-2.times]", (pattern, times) => {
  expect(following(cron(pattern), "2026-01-01T00:00:00Z", 2)).toEqual(times);
});

test.each([
  ["* * * *", "the whole of it", "it has 4 fields, not 5"],
  ["60 * * * *", "minute", '"60" is not within 0-59'],
  ["0 24 * * *", "hour", '"24" is not within 0-23'],
  ["0 0 0 * *", "day of the month", '"0" is not within 1-31'],
  ["0 0 * foo *", "month", '"foo" is not within 1-12'],
  ["0 0 * * 8", "day of the week", '"8" is not within 0-7'],
  ["0 5-3 * * *", "hour", '"5-3" ends before it begins'],
  ["*/0 * * * *", "minute", '"*/0" has a step of 0'],
  ["1,,2 * * * *", "minute", '"" is none of *, 5, 1-5, */15'],
  ["0 0 31 2,4 *", "day of the month", "none of these months has such a day"],
])("the pattern %s is refused with the place in it [DMN-2.wrong]", (pattern, place, problem) => {
  expect(() => parseCron(pattern)).toThrow(
    expect.objectContaining({
      code: "SCHEDULE_CRON_INVALID",
      message: `"${pattern}" is no cron pattern: ${place}: ${problem}`,
    }),
  );
});

test("hours are those of the time zone, whatever that of this machine is [DMN-2.zone]", () => {
  expect(following(cron("0 3 * * *", "Asia/Kolkata"), "2026-01-01T00:00:00Z", 1)).toEqual([
    "2026-01-01T21:30Z",
  ]);
  expect(following(cron("0 23 31 12 *", "America/New_York"), "2026-12-31T12:00:00Z", 1)).toEqual([
    "2027-01-01T04:00Z",
  ]);
});

test("an hour that clocks skip comes as much later, once [DMN-2.zone]", () => {
  // In Berlin it is three o'clock right after two on the 29th of March.
  const table = cron("30 2 * * *", "Europe/Berlin");
  expect(following(table, "2026-03-28T00:00:00Z", 3)).toEqual([
    "2026-03-28T01:30Z",
    "2026-03-29T01:30Z",
    "2026-03-30T00:30Z",
  ]);
});

test("an hour that comes twice counts once, but for what is every hour [DMN-2.zone]", () => {
  const once = cron("30 2 * * *", "Europe/Berlin");
  expect(following(once, "2026-10-24T12:00:00Z", 2)).toEqual([
    "2026-10-25T00:30Z",
    "2026-10-26T01:30Z",
  ]);
  const hourly = cron("30 * * * *", "Europe/Berlin");
  expect(following(hourly, "2026-10-24T23:00:00Z", 4)).toEqual([
    "2026-10-24T23:30Z",
    "2026-10-25T00:30Z",
    "2026-10-25T01:30Z",
    "2026-10-25T02:30Z",
  ]);
});

test("hours that clocks skip and hours that are there meet in one time [DMN-2.zone]", () => {
  const table = cron("0,30 2,3 * * *", "Europe/Berlin");
  expect(following(table, "2026-03-28T23:00:00Z", 3)).toEqual([
    "2026-03-29T01:00Z",
    "2026-03-29T01:30Z",
    "2026-03-30T00:00Z",
  ]);
});

test("a period is counted from when it was said, without drifting [DMN-2.times]", () => {
  expect(following(every("1d"), "2026-01-01T00:00:00Z", 2)).toEqual([
    "2026-01-02T00:00Z",
    "2026-01-03T00:00Z",
  ]);
  expect(following(every("90m"), "2026-01-01T01:31:00Z", 1)).toEqual(["2026-01-01T03:00Z"]);
});

test.each(["59s", "0s", "366d"])("a period of %s is refused [DMN-2.wrong]", (period) => {
  expect(() => every(period)).toThrow(expect.objectContaining({ code: "SCHEDULE_PERIOD_INVALID" }));
});

test("a time zone that nobody knows is refused [DMN-2.wrong]", () => {
  expect(() => cron("0 3 * * *", "Europe/Berlyn")).toThrow(
    expect.objectContaining({ code: "SCHEDULE_TIME_ZONE_UNKNOWN" }),
  );
});

test.each([
  ["a period", every("1d")],
  ["a pattern", cron("0 0 * * *")],
])(
  "of the times of %s that have come the last counts, and how many were before it [DMN-2.made-up]",
  (_title, table) => {
    const from = at("2026-01-01T00:00:00Z");
    expect(table.dueIn(from, at("2026-01-01T23:59:59Z"))).toBeUndefined();
    expect(table.dueIn(from, at("2026-01-02T00:00:00Z"))).toEqual({
      dueMs: at("2026-01-02T00:00:00Z"),
      missed: 0,
    });
    expect(table.dueIn(from, at("2026-01-11T07:00:00Z"))).toEqual({
      dueMs: at("2026-01-11T00:00:00Z"),
      missed: 9,
    });
    // A clock that is set back brings no time a second time.
    expect(table.dueIn(at("2026-01-11T00:00:00Z"), from)).toBeUndefined();
  },
);
