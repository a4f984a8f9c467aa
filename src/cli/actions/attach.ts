import { z } from "zod";
import { resolveTarget } from "../../app/resolve-target.ts";
import { inspectRun } from "../../app/resume-run.ts";
import { assertOwned } from "../../app/send-message.ts";
import { assertSpeaker } from "../agents/read-operands.ts";
import { createAttendance } from "../attend/attendance.ts";
import { chooseProgress } from "../attend/progress.ts";
import { tellPast } from "../attend/tell-parting.ts";
import type { Action } from "../command.ts";
import { openMachine } from "../open-machine.ts";
import { logsAction } from "./logs.ts";

const attachOptions = z.object({ json: z.boolean().default(false) });

/** `troupe attach`: the live view of a run that another process carries out; without a terminal its log. */
export const attachAction: Action = async (invocation) => {
  const { json } = attachOptions.parse(invocation.options);
  const { io, settings } = invocation;
  assertSpeaker("attach", invocation);
  const machine = await openMachine(invocation);
  const { run } = resolveTarget(machine, invocation.args[0] ?? "");
  const { phase } = inspectRun(machine, run);
  const progress = chooseProgress({ json }, invocation);
  if (phase.status === "ended" && progress !== "json") {
    tellPast(inspectRun(machine, run), { io, settings, progress });
    return phase.exitCode;
  }
  if (phase.status !== "ended") assertOwned(machine, run);
  if (progress !== "tty")
    return logsAction({ ...invocation, args: [run], options: { follow: true, json } });
  const { attachRun } = await import("../attend/attach-run.ts");
  const { config } = await machine.readConfig();
  const rings = config?.settings.notify === true;
  return attachRun(run, createAttendance({ machine, io, settings, progress, rings }));
};
