import { zoneUnknown } from "./errors.ts";

/** A date of the calendar. */
export interface CalendarDay {
  readonly year: number;
  /** From 1 on. */
  readonly month: number;
  readonly day: number;
  /** Sunday is 0. */
  readonly weekday: number;
}

/** What clocks on the walls of a time zone show, against the time of the world in ms since the epoch. */
export interface ZoneClock {
  /** Number of the day, counted from 1970-01-01. */
  dayOf(timeMs: number): number;
  /**
   * When the clocks of a day show a minute of it: mostly at one time, at two where they were set back. A minute that
   * they skip counts as much later as they skip.
   */
  timesOf(day: number): (minute: number) => readonly number[];
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The clock of a time zone. Raises SCHEDULE_TIME_ZONE_UNKNOWN. */
export function createZoneClock(zone: string): ZoneClock {
  const offsetAt = createOffsets(zone);
  return {
    dayOf: (timeMs) => Math.floor((timeMs + offsetAt(timeMs)) / DAY_MS),
    timesOf: (day) => {
      const [before, after] = [offsetAt((day - 1) * DAY_MS), offsetAt((day + 2) * DAY_MS)];
      return (minute) => {
        const wallMs = day * DAY_MS + minute * MINUTE_MS;
        if (before === after) return [wallMs - before];
        const shown = [...new Set([wallMs - before, wallMs - after])].filter(
          (timeMs) => timeMs + offsetAt(timeMs) === wallMs,
        );
        return shown.length === 0 ? [wallMs - before] : shown.sort(rising);
      };
    },
  };
}

/** The calendar date of a day that is counted from 1970-01-01. */
export function toCalendarDay(day: number): CalendarDay {
  const date = new Date(day * DAY_MS);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
  };
}

/** How far the clocks of a zone are ahead of UTC, in ms. */
function createOffsets(zone: string): (timeMs: number) => number {
  const format = formatOf(zone);
  return (timeMs) => {
    const parts = new Map(
      format.formatToParts(timeMs).map(({ type, value }) => [type, Number(value)]),
    );
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
    const wallMs = Date.UTC(
      part("year"),
      part("month") - 1,
      part("day"),
      part("hour"),
      part("minute"),
      part("second"),
    );
    return wallMs - Math.floor(timeMs / 1000) * 1000;
  };
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const digits = "2-digit" as const;
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      calendar: "gregory",
      numberingSystem: "latn",
      year: "numeric",
      ...{ month: digits, day: digits, hour: digits, minute: digits, second: digits },
    });
  } catch (error) {
    throw zoneUnknown({ zone }, { cause: error });
  }
}

function rising(left: number, right: number): number {
  return left - right;
}
