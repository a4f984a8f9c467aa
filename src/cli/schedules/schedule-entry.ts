import { nextStart } from "../../app/schedules/choose-start.ts";
import type { Schedule, ScheduledStart } from "../../app/schedules/schedule.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import type { Json } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";

/** What a schedule does: starts runs, or nothing until a person has looked. */
export type ScheduleState = "active" | "paused" | "held";

/** The state of a schedule; it is held when the last of its times was. */
export function stateOf({ status, starts }: Schedule): ScheduleState {
  if (status === "paused") return "paused";
  return starts.at(-1)?.status === "held" ? "held" : "active";
}

/** A schedule as `--json` prints it. */
export function toScheduleEntry(schedule: Schedule): { readonly [key: string]: Json } {
  const { name, cwd, project, rhythm, request, start, createdAt, starts } = schedule;
  const { task, params, input, instance } = start;
  const next = nextStart(schedule);
  const { kind: _, ...times } = rhythm;
  return {
    name,
    state: stateOf(schedule),
    ...times,
    next: next === undefined || !Number.isFinite(next) ? null : toIsoTime(next),
    file: request.file,
    instance,
    ...present({ task, params, input }),
    cwd,
    project,
    createdAt,
    starts: starts.map(toStartEntry),
  };
}

function toStartEntry(start: ScheduledStart): { readonly [key: string]: Json } {
  return { ...start };
}
