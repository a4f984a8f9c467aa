import { z } from "zod";
import { findBusyDirectory } from "../../app/busy-directory.ts";
import type { Machine } from "../../app/machine.ts";
import { startRun } from "../../app/start-run.ts";
import { attendRun } from "../attend/attend-run.ts";
import { type Attendance, attendedRun, createAttendance } from "../attend/attendance.ts";
import { chooseProgress, PROGRESS_FORMS } from "../attend/progress.ts";
import { type Recording, startRecording } from "../attend/recording.ts";
import { watchStops } from "../attend/stop-watch.ts";
import type { Action, Invocation } from "../command.ts";
import { tellConfig } from "../config/tell-config.ts";
import { EXIT } from "../exit-codes.ts";
import { openMachine } from "../open-machine.ts";
import { type PreparedRun, prepareRun } from "../prepare/prepare-run.ts";
import { reportWarning } from "../report-error.ts";
import { reportAtEnd } from "../share/report-at-end.ts";

const runOptions = z.object({
  dryRun: z.boolean().default(false),
  approve: z.enum(["ask", "all", "none"]).default("ask"),
  exclusive: z.boolean().default(false),
  progress: z.enum(PROGRESS_FORMS).exactOptional(),
  json: z.boolean().exactOptional(),
  jsonAll: z.boolean().exactOptional(),
  record: z.string().exactOptional(),
  report: z.string().exactOptional(),
});

/** `troupe run`: checks everything, starts the run, and stays until it is over or let go. */
export const runAction: Action = async (invocation) => {
  const { io, settings } = invocation;
  const options = runOptions.parse(invocation.options);
  if (options.dryRun) return (await import("./plan.ts")).planAction(invocation);
  const progress = chooseProgress(options, invocation);
  const machine = await openMachine(invocation);
  const config = await tellConfig(machine, invocation);
  if (config === undefined) return EXIT.usage;
  const prepared = await prepareRun(machine, invocation);
  if (prepared === undefined) return EXIT.usage;
  heedOtherRuns(machine, options.exclusive, invocation);
  const recording = await startRecording(machine, options.record, invocation);
  const rings = config.settings.notify === true;
  const attendance = createAttendance({ machine, io, settings, progress, rings });
  return carryOut(prepared, {
    ...attendance,
    recording,
    report: options.report,
    approvals: options.approve,
  });
};

type Carrying = Attendance & {
  readonly recording: Recording;
  readonly report: string | undefined;
  readonly approvals: z.infer<typeof runOptions>["approve"];
};

async function carryOut(prepared: PreparedRun, carrying: Carrying): Promise<number> {
  const { machine, io, recording, approvals } = carrying;
  const stops = watchStops(io);
  try {
    const { definition, start } = prepared;
    const run = await startRun(machine, definition, {
      ...start,
      approvals,
      ...attendedRun(carrying),
    });
    stops.attach(run);
    recording.attach(run);
    const exitCode = await attendRun(run, carrying);
    await reportAtEnd(run.id, carrying.report, carrying);
    return exitCode;
  } finally {
    await recording.finish();
    stops.close();
  }
}

function heedOtherRuns(machine: Machine, isExclusive: boolean, { io, settings }: Invocation): void {
  const busy = findBusyDirectory(machine);
  if (busy === undefined) return;
  if (isExclusive) throw busy;
  reportWarning(busy, io, settings);
}
