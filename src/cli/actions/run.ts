import type { Machine } from "../../app/machine/machine.ts";
import { findBusyDirectory } from "../../app/run/busy-directory.ts";
import { createAttendance } from "../attend/attendance.ts";
import { startRecording } from "../attend/recording.ts";
import { startAttended } from "../attend/start-attended.ts";
import type { RunToHandOver } from "../background/hand-over.ts";
import { TROUPE } from "../command/called-as.ts";
import type { ActionOf, Invocation, OptionsOf } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { reportWarning } from "../command/report-error.ts";
import type { runCommand } from "../commands/run.ts";
import { tellConfig } from "../config/tell-config.ts";
import { type PreparedRun, prepareRun } from "../prepare/prepare-run.ts";
import { chooseProgress } from "../view/progress.ts";

type RunOptions = OptionsOf<typeof runCommand>;

/** `troupe run`: checks everything, starts the run, and stays until it is over or let go. */
export const runAction: ActionOf<typeof runCommand> = async (invocation) => {
  const { io, settings } = invocation;
  const { options } = invocation;
  const { approve: approvals = "ask" } = options;
  if (options.dryRun) return plan(invocation);
  if (options.detach) (await import("../background/hand-over.ts")).assertDetachable(options);
  const progress = chooseProgress(options, invocation);
  const machine = await openMachine(invocation);
  const config = await tellConfig(machine, invocation);
  if (config === undefined) return EXIT.usage;
  const prepared = await prepareRun(machine, invocation);
  if (prepared === undefined) return EXIT.usage;
  heedOtherRuns(machine, options.exclusive, invocation);
  if (options.detach) {
    const handOver = { approvals, trustsProject: options.trust };
    return detach(machine, { prepared, handOver }, invocation);
  }
  const recording = await startRecording(machine, options.record, invocation);
  const rings = config.settings.notify === true;
  const attendance = createAttendance({ machine, io, settings, progress, rings });
  const start = { ...prepared.start, unsandboxed: options.unsandboxed };
  return startAttended(
    { ...prepared, start },
    {
      ...attendance,
      recording,
      report: options.report,
      approvals,
    },
  );
};

/** A plan is one document, which has no operations to leave out. */
async function plan(invocation: Invocation<RunOptions>): Promise<number> {
  const { options } = invocation;
  const { planAction } = await import("./plan.ts");
  return planAction({
    ...invocation,
    options: { ...options, json: options.json || options.jsonAll },
  });
}

async function detach(
  machine: Machine,
  { prepared, handOver }: { readonly prepared: PreparedRun; readonly handOver: RunToHandOver },
  invocation: Invocation,
): Promise<number> {
  const { startDetached, tellHandedOver } = await import("../background/hand-over.ts");
  const { instance = "default" } = prepared.start;
  const run = await startDetached(machine, prepared, handOver);
  const more = [`end it: ${TROUPE} cancel ${run}`];
  tellHandedOver({ run, workflow: prepared.definition.name, instance }, more, invocation);
  return EXIT.completed;
}

function heedOtherRuns(machine: Machine, isExclusive: boolean, { io, settings }: Invocation): void {
  const busy = findBusyDirectory(machine);
  if (busy === undefined) return;
  if (isExclusive) throw busy;
  reportWarning(busy, io, settings);
}
