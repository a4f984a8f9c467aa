import { cronInvalid } from "./errors.ts";

/** What a cron pattern lets through. */
export interface CronPattern {
  /** In rising order. */
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly months: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  /** Sunday is 0. */
  readonly weekdays: ReadonlySet<number>;
  /** With both a day of the month and one of the week, either of them is enough. */
  readonly dayRule: "both" | "either";
}

interface Field {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  /** Names of its values, from the first on. */
  readonly names?: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const MINUTE: Field = { name: "minute", first: 0, last: 59 };
const HOUR: Field = { name: "hour", first: 0, last: 23 };
const DAY: Field = { name: "day of the month", first: 1, last: 31 };
const MONTH: Field = { name: "month", first: 1, last: 12, names: MONTHS };
const WEEKDAY: Field = { name: "day of the week", first: 0, last: 7, names: WEEKDAYS };

const WHOLE: { readonly [word: string]: string } = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Reads a cron pattern of five fields. Raises SCHEDULE_CRON_INVALID. */
export function parseCron(cron: string): CronPattern {
  const fields = (WHOLE[cron.trim().toLowerCase()] ?? cron).trim().split(/\s+/);
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields;
  if (fields.length !== 5)
    throw cronInvalid({
      cron,
      place: "the whole of it",
      problem: `it has ${fields.length} fields, not 5`,
    });
  const read = (text: string, field: Field) => readField(cron, text, field);
  const pattern: CronPattern = {
    minutes: read(minute, MINUTE),
    hours: read(hour, HOUR),
    days: new Set(read(day, DAY)),
    months: new Set(read(month, MONTH)),
    weekdays: new Set(read(weekday, WEEKDAY).map((value) => value % 7)),
    dayRule: day.startsWith("*") || weekday.startsWith("*") ? "both" : "either",
  };
  assertPossible(cron, pattern);
  return pattern;
}

/** Whether a pattern lets a day of the calendar through. */
export function isCronDay(
  { months, days, weekdays, dayRule }: CronPattern,
  date: { readonly month: number; readonly day: number; readonly weekday: number },
): boolean {
  if (!months.has(date.month)) return false;
  const [isDay, isWeekday] = [days.has(date.day), weekdays.has(date.weekday)];
  return dayRule === "both" ? isDay && isWeekday : isDay || isWeekday;
}

function readField(cron: string, text: string, field: Field): readonly number[] {
  const values = text.split(",").flatMap((part) => readPart(part, field, cron));
  return [...new Set(values)].sort((left, right) => left - right);
}

function readPart(part: string, field: Field, cron: string): readonly number[] {
  const fail = (problem: string) => cronInvalid({ cron, place: field.name, problem });
  const match = /^(?:(\*)|([^-/]+)(?:-([^-/]+))?)(?:\/(\d{1,4}))?$/.exec(part);
  if (match === null) throw fail(`"${part}" is none of *, 5, 1-5, */15`);
  const [, star, from = "", to, step] = match;
  const value = (text: string) => {
    const number = valueIn(text, field);
    if (number !== undefined) return number;
    throw fail(`"${text}" is not within ${field.first}-${field.last}`);
  };
  const first = star === undefined ? value(from) : field.first;
  const isSingle = star === undefined && to === undefined && step === undefined;
  const end = to === undefined ? field.last : value(to);
  const last = isSingle ? first : end;
  if (last < first) throw fail(`"${part}" ends before it begins`);
  const every = Number(step ?? "1");
  if (every === 0) throw fail(`"${part}" has a step of 0`);
  const count = Math.floor((last - first) / every) + 1;
  return Array.from({ length: count }, (_, index) => first + index * every);
}

function valueIn(text: string, { first, last, names = [] }: Field): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return first + named;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : -1;
  return value >= first && value <= last ? value : undefined;
}

/** Raises SCHEDULE_CRON_INVALID for a day that no month has. */
function assertPossible(cron: string, { months, days, weekdays, dayRule }: CronPattern): void {
  if (dayRule === "either" && weekdays.size > 0) return;
  const isThere = LONGEST_MONTHS.some(
    (length, index) => months.has(index + 1) && [...days].some((day) => day <= length),
  );
  if (isThere) return;
  throw cronInvalid({ cron, place: DAY.name, problem: "none of these months has such a day" });
}
