import { startRun } from "../../app/run/start-run.ts";
import { trajectorySpecOf } from "../../contracts/definition.ts";
import type { ApprovalMode } from "../../contracts/run.ts";
import type { PreparedRun } from "../prepare/prepare-run.ts";
import { attendRun } from "./attend-run.ts";
import { type Attendance, attendedRun } from "./attendance.ts";
import type { CassetteRecording } from "./recording.ts";
import { watchStops } from "./stop-watch.ts";

/** How a run is started that this process carries out and shows. */
export type StartAttendance = Attendance & {
  readonly recording: CassetteRecording;
  readonly report: string | undefined;
  readonly approvals: ApprovalMode;
};

/**
 * Starts a run and stays until it is over or let go; resolves with its exit code. Raises what startRun raises
 * and what stopped the run without a word in its journal.
 */
export async function startAttended(
  { definition, start }: PreparedRun,
  attendance: StartAttendance,
): Promise<number> {
  const { machine, io, recording, report, approvals } = attendance;
  const stops = watchStops(io);
  try {
    const run = await startRun(machine, definition, {
      ...start,
      approvals,
      ...attendedRun(attendance),
    });
    stops.attach(run);
    recording.attach(run);
    const exitCode = await attendRun(run, attendance);
    if (trajectorySpecOf(definition) !== undefined) {
      const { trailAtEnd } = await import("../share/trail-at-end.ts");
      await trailAtEnd(run.id, attendance);
    }
    if (report !== undefined) {
      const { reportAtEnd } = await import("../share/write-report.ts");
      await reportAtEnd(run.id, report, attendance);
    }
    return exitCode;
  } finally {
    await recording.finish();
    stops.close();
  }
}
