import { z } from "zod";
import { isRecord } from "../../foundation/json.ts";
import { readBelievedJson, replacePrivateFile } from "../machine/place/private-file.ts";
import { scheduleNotFound, schedulesUnreadable } from "./errors.ts";
import { type Schedule, schedule } from "./schedule.ts";

const FORMAT = 1;

const scheduleFile = z.object({ v: z.literal(FORMAT), schedules: z.array(schedule) });

/** The schedules of a user, which the daemon alone writes. */
export interface ScheduleList {
  all(): readonly Schedule[];
  /** Puts a schedule on the list or changes it; durable when it returns. Raises errors of the system. */
  put(changed: Schedule): void;
  /** Takes a schedule off the list; durable when it returns. Raises errors of the system. */
  remove(name: string): void;
}

/** Opens the list. Raises SCHEDULES_UNREADABLE. */
export function openSchedules(file: string): ScheduleList {
  const known = new Map(readSchedules(file).map((each) => [each.name, each]));
  const write = (next: ReadonlyMap<string, Schedule>) => {
    const text = JSON.stringify({ v: FORMAT, schedules: [...next.values()] }, null, 2);
    replacePrivateFile(file, `${text}\n`);
  };
  return {
    all: () => [...known.values()],
    put: (changed) => {
      // What could not be written is not so: nothing is started on the strength of it.
      write(new Map([...known, [changed.name, changed]]));
      known.set(changed.name, changed);
    },
    remove: (name) => {
      write(new Map([...known].filter(([other]) => other !== name)));
      known.delete(name);
    },
  };
}

/** The schedules on the list, for whoever only looks. Raises SCHEDULES_UNREADABLE. */
export function readSchedules(file: string): readonly Schedule[] {
  // Whoever may write to the list decides what is run here.
  const value = readBelievedJson(file, (problem, cause) =>
    schedulesUnreadable({ file, problem }, { cause }),
  );
  if (value === undefined) return [];
  const parsed = scheduleFile.safeParse(value);
  if (parsed.success) return parsed.data.schedules;
  throw schedulesUnreadable({ file, problem: problemOf(value) });
}

/** The schedule of a name. Raises SCHEDULE_NOT_FOUND. */
export function findSchedule(schedules: readonly Schedule[], name: string): Schedule {
  const found = schedules.find((each) => each.name === name);
  if (found !== undefined) return found;
  throw scheduleNotFound({ name, known: schedules.map((each) => each.name) });
}

function problemOf(value: unknown): string {
  const version = isRecord(value) ? value["v"] : undefined;
  return typeof version === "number" && version > FORMAT
    ? `it is of a newer troupe: format ${version}, this one knows ${FORMAT}`
    : "it has another form";
}
