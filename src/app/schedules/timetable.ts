import type { Rhythm } from "../../control/schedule-wish.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { type CronPattern, isCronDay, parseCron } from "./cron-pattern.ts";
import { periodInvalid } from "./errors.ts";
import { createZoneClock, toCalendarDay, type ZoneClock } from "./zone-clock.ts";

/** Times of a schedule that have come. */
export interface DueTimes {
  /** The last of them, in ms since the epoch. */
  readonly dueMs: number;
  /** How many came before it. */
  readonly missed: number;
}

/** All times of a rhythm, in ms since the epoch. */
export interface Timetable {
  /** The first after a time. */
  nextAfter(timeMs: number): number;
  /** Those after one time and not after another; undefined without any. */
  dueIn(afterMs: number, untilMs: number): DueTimes | undefined;
}

const DAY_HOURS = 24;
const HOUR_MINUTES = 60;
// From one 29th of February to the next it may be eight years.
const MAX_DAYS = 3000;

const MIN_PERIOD_MS = 60_000;
const MAX_PERIOD_MS = 365 * 86_400_000;

/**
 * The timetable of a rhythm. Raises SCHEDULE_PERIOD_INVALID, DURATION_INVALID, SCHEDULE_CRON_INVALID,
 * SCHEDULE_TIME_ZONE_UNKNOWN.
 */
export function createTimetable(rhythm: Rhythm): Timetable {
  if (rhythm.kind === "every")
    return createEven(readPeriod(rhythm.every), Date.parse(rhythm.since));
  return createCron(parseCron(rhythm.cron), createZoneClock(rhythm.timeZone));
}

function readPeriod(every: string): number {
  const periodMs = parseDuration(every, "--every");
  if (periodMs < MIN_PERIOD_MS || periodMs > MAX_PERIOD_MS) throw periodInvalid({ given: every });
  return periodMs;
}

function createEven(everyMs: number, sinceMs: number): Timetable {
  const countAt = (timeMs: number) => Math.max(0, Math.floor((timeMs - sinceMs) / everyMs));
  return {
    nextAfter: (timeMs) => sinceMs + (countAt(timeMs) + 1) * everyMs,
    dueIn: (afterMs, untilMs) => {
      const count = countAt(untilMs) - countAt(afterMs);
      if (count <= 0) return undefined;
      return { dueMs: sinceMs + countAt(untilMs) * everyMs, missed: count - 1 };
    },
  };
}

function createCron(pattern: CronPattern, zone: ZoneClock): Timetable {
  const timesOn = (day: number) => timesOfDay(pattern, zone, day);
  return {
    nextAfter: (timeMs) => {
      // A time that clocks skip at the end of a day comes on the next one.
      const first = zone.dayOf(timeMs) - 1;
      for (let day = first; day < first + MAX_DAYS; day += 1) {
        const next = timesOn(day).find((each) => each > timeMs);
        if (next !== undefined) return next;
      }
      return Number.POSITIVE_INFINITY;
    },
    dueIn: (afterMs, untilMs) => {
      const last = zone.dayOf(untilMs);
      const first = Math.max(zone.dayOf(afterMs) - 1, last - MAX_DAYS);
      const times = new Set<number>();
      for (let day = first; day <= last; day += 1)
        for (const time of timesOn(day)) if (time > afterMs && time <= untilMs) times.add(time);
      if (times.size === 0) return undefined;
      const dueMs = [...times].reduce((latest, time) => Math.max(latest, time));
      return { dueMs, missed: times.size - 1 };
    },
  };
}

/** In rising order. */
function timesOfDay(pattern: CronPattern, zone: ZoneClock, day: number): readonly number[] {
  if (!isCronDay(pattern, toCalendarDay(day))) return [];
  const { minutes, hours } = pattern;
  const timesOf = zone.timesOf(day);
  const times = hours.flatMap((hour) =>
    minutes.flatMap((minute) => {
      const shown = timesOf(hour * HOUR_MINUTES + minute);
      // What is to be at three is once a day; what is every hour is also in the one that comes twice.
      return hours.length === DAY_HOURS ? shown : shown.slice(0, 1);
    }),
  );
  return times.sort((left, right) => left - right);
}
