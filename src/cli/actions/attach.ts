import { assertOwned } from "../../app/run/commands/send-message.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import { inspectRun } from "../../app/runs/run-lookup.ts";
import { createAttendance } from "../attend/attendance.ts";
import { tellPast } from "../attend/tell-parting.ts";
import type { ActionOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { openMachine } from "../command/open-machine.ts";
import { targetOperand } from "../command/target-operand.ts";
import type { attachCommand } from "../commands/attach.ts";
import { chooseProgress } from "../view/progress.ts";
import { logsAction } from "./logs.ts";

/**
 * `troupe attach`: the live view of a run that another process carries out, without a terminal its log; or an
 * agent's own program.
 */
export const attachAction: ActionOf<typeof attachCommand> = async (invocation) => {
  const { cli: isCli, json } = invocation.options;
  const { io, settings } = invocation;
  if (isCli && json) throw usageInvalid({ problem: "--cli opens a program, which prints no JSON" });
  const machine = await openMachine(invocation);
  const target = resolveTarget(machine, targetOperand(invocation.args));
  const { run } = target;
  if (isCli) {
    const { attachCli } = await import("../agents/attach-cli.ts");
    return attachCli(machine, target, invocation);
  }
  const { phase } = inspectRun(machine, run);
  const progress = chooseProgress({ json }, invocation);
  if (phase.status === "ended" && progress !== "json") {
    await tellPast(inspectRun(machine, run), { io, settings, progress });
    return phase.exitCode;
  }
  if (phase.status !== "ended") assertOwned(machine, run);
  if (progress !== "tty")
    return logsAction({
      ...invocation,
      args: [run],
      options: { ...ALL, json },
    });
  const { attachRun } = await import("../attend/attach-run.ts");
  const { config } = await machine.readConfig();
  const rings = config?.settings.notify === true;
  return attachRun(run, createAttendance({ machine, io, settings, progress, rings }));
};

// The whole log, and what comes after it.
const ALL = {
  ...{
    follow: true,
    raw: false,
    transcript: false,
    failed: false,
    jsonAll: false,
  },
} as const;
