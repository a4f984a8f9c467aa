import { basename, extname } from "node:path";
import type { Project } from "../../app/machine/place/project.ts";
import { createTimetable } from "../../app/schedules/timetable.ts";
import type { Rhythm, ScheduleWish } from "../../control/schedule-wish.ts";
import { INSTANCE_PATTERN } from "../../foundation/ids.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import { present } from "../../foundation/present.ts";
import { usageInvalid } from "../command/errors.ts";
import type { PreparedRun } from "../prepare/prepare-run.ts";

/** What the command line says of a schedule itself. */
interface ScheduleOptions {
  readonly every?: string;
  readonly cron?: string;
  readonly timeZone?: string;
  readonly name?: string;
}

/** Makes the wish of what is to be run, with its paths as the daemon can open them. */
type ToWish = (prepared: PreparedRun, toPath: (path: string) => string) => ScheduleWish;

/**
 * The schedule that is wished for, once it is known what it runs. Raises USAGE_INVALID, DURATION_INVALID and
 * SCHEDULE_* errors for what is wrong about its times and its name.
 */
export function toWish(
  options: ScheduleOptions,
  { project, nowMs }: { readonly project: Project; readonly nowMs: number },
): ToWish {
  const rhythm = readRhythm(options, nowMs);
  createTimetable(rhythm);
  if (options.name !== undefined) assertName(options.name);
  return ({ request, start }, toPath) => {
    const { name = nameOf(request.file) } = options;
    const { cassette: _cassette, fileHash: _hash, instance = name, ...given } = start;
    return {
      name,
      cwd: project.cwd,
      project: project.root,
      troupeDirectory: project.troupeDirectory,
      rhythm,
      request: toRequest(request, toPath),
      start: { ...present(given), instance },
    };
  };
}

function readRhythm({ every, cron, timeZone }: ScheduleOptions, nowMs: number): Rhythm {
  if ((every === undefined) === (cron === undefined))
    throw usageInvalid({
      problem:
        every === undefined ? "when is it to be run?" : "--every and --cron exclude each other",
      hint: 'write --every 1d, or --cron "0 3 * * *"',
    });
  if (cron !== undefined) return { kind: "cron", cron, timeZone: timeZone ?? zoneOfHere() };
  if (timeZone !== undefined)
    throw usageInvalid({ problem: "--time-zone goes with --cron, not with --every" });
  return { kind: "every", every: every ?? "", since: toIsoTime(nowMs) };
}

function zoneOfHere(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function toRequest(
  { file, text, params = {}, backend, importFrom, cassette }: PreparedRun["request"],
  toPath: (path: string) => string,
): ScheduleWish["request"] {
  return {
    file: text === undefined ? toPath(file) : file,
    ...present({
      text,
      params: Object.keys(params).length === 0 ? undefined : params,
      backend,
      importFrom,
      cassette: typeof cassette === "string" ? toPath(cassette) : undefined,
    }),
  };
}

function assertName(name: string): void {
  if (INSTANCE_PATTERN.test(name)) return;
  throw usageInvalid({
    problem: `"${name}" cannot name a schedule`,
    hint: "use letters, digits, dots, - and _, at most 64",
  });
}

function nameOf(file: string): string {
  const name = basename(file, extname(file))
    .replace(/[^\w-]+/g, "-")
    .slice(0, 64);
  return INSTANCE_PATTERN.test(name) ? name : "schedule";
}
