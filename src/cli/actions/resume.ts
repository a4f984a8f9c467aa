import { z } from "zod";
import type { Machine } from "../../app/machine.ts";
import { resumeRun } from "../../app/resume-run.ts";
import { readEvents } from "../../app/run-events.ts";
import type { RunState } from "../../fold/run-state.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { type Attendance, asksInTerminal, attendRun } from "../attend/attend-run.ts";
import { chooseProgress } from "../attend/progress.ts";
import { watchStops } from "../attend/stop-watch.ts";
import { tellPast } from "../attend/tell-parting.ts";
import type { Action } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { openMachine } from "../open-machine.ts";
import { toJsonLine } from "../view/json-view.ts";

const resumeOptions = z.object({
  approve: z.enum(["ask", "all", "none"]).default("ask"),
  timeout: z.string().exactOptional(),
  progress: z.enum(["auto", "plain", "json", "none"]).exactOptional(),
  json: z.boolean().exactOptional(),
  jsonAll: z.boolean().exactOptional(),
});

/** `troupe resume`: goes on with a run, or tells what it came to. */
export const resumeAction: Action = async (invocation) => {
  const { args, io, settings } = invocation;
  const options = resumeOptions.parse(invocation.options);
  const progress = chooseProgress(options, settings.isQuiet);
  const timeoutMs = options.timeout === undefined ? undefined : parseDuration(options.timeout);
  const machine = await openMachine(invocation);
  const attendance = { machine, io, settings, progress };
  const stops = watchStops(io);
  try {
    const resumption = await resumeRun(machine, args[0] ?? "", {
      approvals: options.approve,
      suspendsWhenWaiting: !asksInTerminal(attendance),
      ...(timeoutMs === undefined ? {} : { limits: { timeoutMs } }),
    });
    if (resumption.status === "over") return tellOver(resumption.state, attendance);
    stops.attach(resumption.run);
    return await attendRun(resumption.run, attendance);
  } finally {
    stops.close();
  }
};

function tellOver(state: RunState, attendance: Attendance): number {
  const { progress, machine } = attendance;
  if (progress === "json" || progress === "json-all") tellLastEvent(state, machine, attendance);
  else tellPast(state, attendance);
  return state.phase.status === "ended" ? state.phase.exitCode : EXIT.failed;
}

function tellLastEvent({ run }: RunState, machine: Machine, { io }: Attendance): void {
  const last = readEvents(machine, run.id).findLast(({ type }) => type === "run-ended");
  if (last !== undefined) io.stdout.write(`${toJsonLine(run.id, last)}\n`);
}
