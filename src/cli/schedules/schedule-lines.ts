import { relative } from "node:path";
import { nextStart } from "../../app/schedules/choose-start.ts";
import type { Schedule, ScheduledStart } from "../../app/schedules/schedule.ts";
import { formatDuration } from "../../foundation/duration.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";
import { fitTable } from "../terminal/fit-table.ts";
import { localTime } from "../terminal/local-time.ts";
import type { Settings } from "../terminal/settings.ts";
import { stateOf } from "./schedule-entry.ts";

interface LineOptions {
  readonly settings: Settings;
  readonly nowMs: number;
}

/** What has become known of a new schedule, in one line. */
export function keptLine(schedule: Schedule, nowMs: number): string {
  const { name, request, start } = schedule;
  return toPrintable(
    `${name} is kept: ${start.file ?? request.file} ${rhythmOf(schedule)}, next ${nextOf(schedule, nowMs)}`,
  );
}

/** All schedules as a table. */
export function scheduleTable(
  schedules: readonly Schedule[],
  { settings, nowMs }: LineOptions,
): readonly string[] {
  if (schedules.length === 0)
    return [`no schedules yet: ${TROUPE} schedule FILE --every 1d makes one`];
  const rows = schedules.map((schedule) => [
    schedule.name,
    rhythmOf(schedule),
    stateOf(schedule),
    nextOf(schedule, nowMs),
    lastOf(schedule),
    fileOf(schedule),
  ]);
  const header = ["SCHEDULE", "WHEN", "STATE", "NEXT", "LAST", "FILE"];
  const table = fitTable([header, ...rows], { settings, hasHeader: true, cuts: [5, 4] });
  return [...table, ...heldLines(schedules)];
}

/** One schedule and what it did. */
export function scheduleLines(
  schedule: Schedule,
  { settings, nowMs }: LineOptions,
): readonly string[] {
  const { name, cwd, request, start, starts } = schedule;
  const { task, instance } = start;
  const facts = [
    ["schedule", name],
    ["state", stateOf(schedule)],
    ["when", rhythmOf(schedule)],
    ["next", nextOf(schedule, nowMs)],
    ["file", request.file],
    ["in", cwd],
    ["instance", instance],
    ...(task === undefined ? [] : [["task", task]]),
    ...Object.entries(start.params ?? {}).map(([key, value]) => [
      "param",
      `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
    ]),
  ];
  const rows = starts.map((each) => [localTime(Date.parse(each.due)), each.status, wordsOf(each)]);
  const table =
    rows.length === 0
      ? ["it has started nothing yet"]
      : fitTable([["TIME", "WHAT", ""], ...rows], { settings, hasHeader: true, cuts: [2] });
  return [...fitTable(facts, { settings, cuts: [1] }), "", ...table, ...heldLines([schedule])];
}

function rhythmOf({ rhythm }: Schedule): string {
  if (rhythm.kind === "every") return `every ${rhythm.every}`;
  return `${rhythm.cron} ${rhythm.timeZone}`;
}

function nextOf(schedule: Schedule, nowMs: number): string {
  const next = nextStart(schedule);
  if (next === undefined || !Number.isFinite(next)) return "-";
  return next <= nowMs ? "due" : localTime(next);
}

function lastOf({ starts }: Schedule): string {
  const last = starts.at(-1);
  if (last === undefined) return "-";
  return "run" in last ? `${last.status} ${last.run}` : last.status;
}

function fileOf({ request, project }: Schedule): string {
  const path = relative(project, request.file);
  return path.startsWith("..") || request.text !== undefined ? request.file : path;
}

function wordsOf(start: ScheduledStart): string {
  const missed = start.missed === 0 ? "" : `, ${start.missed} before it missed`;
  switch (start.status) {
    case "starting":
    case "started":
      return `${start.run}${lateOf(start)}${missed}`;
    case "skipped":
      return `${start.run} was not over${missed}`;
    case "held":
    case "failed":
      return `${start.reason}${missed}`;
  }
}

const LATE_MS = 60_000;

function lateOf({ due, at }: ScheduledStart): string {
  const lateMs = Date.parse(at) - Date.parse(due);
  return lateMs < LATE_MS ? "" : `, made up for ${formatDuration(lateMs)} later`;
}

/** What to do about those that start nothing any more. */
function heldLines(schedules: readonly Schedule[]): readonly string[] {
  return schedules.flatMap((schedule) => {
    const last = schedule.starts.at(-1);
    if (stateOf(schedule) !== "held" || last?.status !== "held") return [];
    const { name } = schedule;
    return [
      toPrintable(`${name} is held: ${last.reason}`),
      `  look at it, then: ${TROUPE} schedule resume ${name}`,
    ];
  });
}
