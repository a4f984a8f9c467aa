import { defineError } from "../../foundation/errors.ts";

export const cronInvalid = defineError("SCHEDULE_CRON_INVALID", {
  message: (details: { cron: string; place: string; problem: string }) =>
    `"${details.cron}" is no cron pattern: ${details.place}: ${details.problem}`,
  hint: () => 'write minute, hour, day, month and day of the week: "0 3 * * 1-5"',
  about:
    "A cron pattern has five fields with blanks between: minute 0-59, hour 0-23, day of the month 1-31, month 1-12 or jan-dec, day of the week 0-7 or sun-sat, where 0 and 7 are Sunday. A field is `*`, numbers, ranges `1-5`, steps `*/15`, or several of them with commas. `@hourly`, `@daily`, `@weekly`, `@monthly` and `@yearly` stand for whole patterns.",
});

export const zoneUnknown = defineError("SCHEDULE_TIME_ZONE_UNKNOWN", {
  message: (details: { zone: string }) => `there is no time zone "${details.zone}"`,
  hint: () => "write it as the IANA database does: Europe/Berlin, America/New_York, UTC",
  about:
    "The time zone of a schedule decides what the hours of its cron pattern mean. Without one it is that of this machine.",
});

export const periodInvalid = defineError("SCHEDULE_PERIOD_INVALID", {
  message: (details: { given: string }) =>
    `a schedule cannot start something every ${details.given}`,
  hint: () => "write a time from 1m to 365d; what goes on without a pause is: troupe start FILE",
  about: "The shortest period of a schedule is one minute, the longest 365 days.",
});

export const scheduleExists = defineError("SCHEDULE_EXISTS", {
  message: (details: { name: string; file: string }) =>
    `there is a schedule "${details.name}" already, of ${details.file}`,
  hint: ({ name }) => `choose another one with --name, or first: troupe schedule remove ${name}`,
  about: "Schedules of one user have different names, whatever project they are of.",
});

export const scheduleNotFound = defineError("SCHEDULE_NOT_FOUND", {
  message: (details: { name: string; known: readonly string[] }) =>
    `there is no schedule "${details.name}"${details.known.length === 0 ? "" : `, but ${details.known.join(", ")}`}`,
  hint: () => "look which there are: troupe schedule list",
  about: "A schedule is named by its whole name.",
});

export const schedulesUnreadable = defineError("SCHEDULES_UNREADABLE", {
  message: (details: { file: string; problem: string }) =>
    `${details.file} cannot be read: ${details.problem}`,
  hint: ({ file }) => `if no schedule is needed any more, remove it: ${file}`,
  about:
    "The list of schedules is damaged, of a newer version, or others may write to it. Until that is mended nothing is started by a schedule, and the file stays as it is.",
});

export const scheduleFileInvalid = defineError("SCHEDULE_FILE_INVALID", {
  message: (details: { file: string; problem: string }) =>
    `${details.file} cannot be run as it is now: ${details.problem}`,
  hint: ({ file }) => `see all of it: troupe validate ${file}`,
  about:
    "The workflow of a schedule was changed so that it has a mistake, or does not fit what the schedule gives to it any more.",
});

export const scheduleProjectMissing = defineError("SCHEDULE_PROJECT_MISSING", {
  message: (details: { directory: string }) => `${details.directory} is not there any more`,
  hint: () => "take the schedule away if it is not needed: troupe schedule list",
  about: "A schedule starts its runs in the directory where it was made.",
});
