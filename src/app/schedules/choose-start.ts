import { toIsoTime } from "../../foundation/iso-time.ts";
import type { Schedule, ScheduledStart } from "./schedule.ts";
import { createTimetable, type DueTimes } from "./timetable.ts";

/** What is found when a time of a schedule has come. */
export interface StartLook {
  /** A run of it that is not over. */
  readonly running: string | undefined;
  /** Why what it would start is not what a person has let go on. */
  readonly doubt: string | undefined;
  readonly nowMs: number;
}

/** The time that is to be decided now; undefined without one. A schedule that is paused lets all of them pass. */
export function dueStart(schedule: Schedule, nowMs: number): DueTimes | undefined {
  if (schedule.status === "paused") return undefined;
  return createTimetable(schedule.rhythm).dueIn(Date.parse(schedule.decidedUntil), nowMs);
}

/** When a schedule starts something next, if nothing comes between; undefined while it is paused. */
export function nextStart({ status, rhythm, decidedUntil }: Schedule): number | undefined {
  if (status === "paused") return undefined;
  return createTimetable(rhythm).nextAfter(Date.parse(decidedUntil));
}

/**
 * Decides on a time that has come. Of several that came while nobody looked only the last is made up for, and
 * it is still within its period: the next one has not come. `run`: the id of what is started.
 */
export function chooseStart(
  { dueMs, missed }: DueTimes,
  { running, doubt, nowMs }: StartLook,
  run: string,
): ScheduledStart {
  const time = { due: toIsoTime(dueMs), at: toIsoTime(nowMs), missed };
  if (running !== undefined) return { ...time, status: "skipped", run: running };
  if (doubt !== undefined) return { ...time, status: "held", reason: doubt };
  return { ...time, status: "starting", run };
}
