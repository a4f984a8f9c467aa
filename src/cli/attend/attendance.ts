import type { Machine } from "../../app/machine/machine.ts";
import type { CarryOutOptions } from "../../app/run/owner/carry-out-options.ts";
import type { Io } from "../terminal/io.ts";
import type { Settings } from "../terminal/settings.ts";
import { type ActivityLog, createActivityLog } from "../view/live/turn-activity.ts";
import type { Progress } from "../view/progress.ts";

/** How a run is shown while this process carries it out. */
export interface Attendance {
  readonly machine: Machine;
  readonly io: Io;
  readonly settings: Settings;
  readonly progress: Progress;
  /** What agents do before it is durable; the live view shows it. */
  readonly activity?: ActivityLog;
  /** Whether the terminal's bell says that something new needs a person. Defaults to false. */
  readonly rings?: boolean;
  /** How the run goes on in the background when the person wants that, or why it cannot. */
  readonly background?: BackgroundTerms;
}

/** How the background takes a run when the person goes away, or the option for which it stays. */
export type BackgroundTerms =
  | { readonly status: "possible"; readonly takeOver: (run: string) => Promise<unknown> }
  | { readonly status: "refused"; readonly reason: string };

interface AttendingOptions {
  readonly record?: string | undefined;
  readonly report?: string | undefined;
  readonly unsandboxed?: boolean | undefined;
}

/** What the options of a command mean for going away from its run. */
export function backgroundTerms(
  { record, report, unsandboxed }: AttendingOptions,
  takeOver: (run: string) => Promise<unknown>,
): BackgroundTerms {
  const needs = {
    "--record": record,
    "--report": report,
    "--unsandboxed": unsandboxed || undefined,
  };
  const needed = Object.entries(needs).find(([, value]) => value !== undefined);
  return needed === undefined
    ? { status: "possible", takeOver }
    : { status: "refused", reason: `${needed[0]} needs this terminal until the run is over` };
}

/** An attendance that sees what agents do while they do it, if its form of progress shows that. */
export function createAttendance(parts: Omit<Attendance, "activity">): Attendance {
  return parts.progress === "tty" ? { ...parts, activity: createActivityLog() } : parts;
}

/** How a run is carried out that is attended so. */
export function attendedRun(
  attendance: Attendance,
): Pick<CarryOutOptions, "suspendsWhenWaiting" | "onUpdate"> {
  const { activity } = attendance;
  return {
    suspendsWhenWaiting: !asksInTerminal(attendance),
    ...(activity === undefined ? {} : { onUpdate: activity.update }),
  };
}

/** Whether the person at the terminal is asked for decisions; else the run waits in its journal. */
export function asksInTerminal({
  progress,
  settings,
}: Pick<Attendance, "progress" | "settings">): boolean {
  return settings.mayAsk && (progress === "plain" || progress === "tty");
}
