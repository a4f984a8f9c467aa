import { createAttendance } from "../attend/attendance.ts";
import { startRecording } from "../attend/recording.ts";
import { startAttended } from "../attend/start-attended.ts";
import { startDetached, tellHandedOver } from "../background/hand-over.ts";
import { TROUPE } from "../command/called-as.ts";
import type { ActionOf, Invocation } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import type { startCommand } from "../commands/start.ts";
import { tellConfig } from "../config/tell-config.ts";
import { type PreparedRun, prepareRun } from "../prepare/prepare-run.ts";
import { chooseProgress } from "../view/progress.ts";

/** `troupe start`: keeps a workflow going until it is stopped, here or in the daemon (KCK-4). */
export const startAction: ActionOf<typeof startCommand> = async (invocation) => {
  const { io, settings } = invocation;
  const { background: isBackground, trust, ...options } = invocation.options;
  const progress = chooseProgress(options, invocation);
  const machine = await openMachine(invocation);
  const config = await tellConfig(machine, invocation);
  if (config === undefined) return EXIT.usage;
  const prepared = await prepareRun(machine, invocation, { until: "stopped" });
  if (prepared === undefined) return EXIT.usage;
  if (isBackground) {
    const run = await startDetached(machine, prepared, { trustsProject: trust });
    return tellStarted(run, prepared, invocation);
  }
  const rings = config.settings.notify === true;
  const attendance = createAttendance({ machine, io, settings, progress, rings });
  const recording = await startRecording(machine, undefined, invocation);
  return startAttended(prepared, {
    ...attendance,
    recording,
    report: undefined,
    approvals: "ask",
  });
};

function tellStarted(
  run: string,
  { definition, start }: PreparedRun,
  invocation: Invocation,
): number {
  const { instance = "default" } = start;
  const [agent] = definition.agents;
  const speak =
    agent === undefined ? [] : [`speak to it: ${TROUPE} send ${agent.id}@${instance} "…"`];
  const more = [...speak, `stop it: ${TROUPE} stop @${instance}`];
  tellHandedOver({ run, workflow: definition.name, instance }, more, invocation);
  return EXIT.completed;
}
