import type { Machine } from "../../app/machine/machine.ts";
import { findBusyDirectory } from "../../app/run/busy-directory.ts";
import type { RunToHandOver } from "../background/hand-over.ts";
import { TROUPE } from "../command/called-as.ts";
import type { Invocation } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import type { OptionValues } from "../command/option.ts";
import { reportWarning } from "../command/report-error.ts";
import type { attendOptions } from "../commands/parts/attend-options.ts";
import { tellConfig } from "../config/tell-config.ts";
import type { PreparedRun } from "../prepare/prepare-run.ts";
import { chooseProgress } from "../view/progress.ts";
import { backgroundTerms, createAttendance } from "./attendance.ts";
import { startRecording } from "./recording.ts";
import { startAttended } from "./start-attended.ts";

type StartInput = OptionValues<typeof attendOptions> & { readonly trust: boolean };

/** How a run is made that is to start. */
export interface RunToPrepare {
  /** Whether it is refused where another run works already. */
  readonly exclusive: boolean;
  /** Checks all that it is started with; undefined: what is wrong was told. */
  readonly prepare: (machine: Machine) => Promise<PreparedRun | undefined>;
}

/** Checks everything, starts a run, and stays until it is over or let go; resolves with the exit code. */
export async function startPrepared(
  invocation: Invocation<StartInput>,
  { exclusive, prepare }: RunToPrepare,
): Promise<number> {
  const { io, settings, options } = invocation;
  const { approve: approvals = "ask" } = options;
  if (options.detach) (await import("../background/hand-over.ts")).assertDetachable(options);
  const progress = chooseProgress(options, invocation);
  const machine = await openMachine(invocation);
  const config = await tellConfig(machine, invocation);
  if (config === undefined) return EXIT.usage;
  const prepared = await prepare(machine);
  if (prepared === undefined) return EXIT.usage;
  heedOtherRuns(machine, exclusive, invocation);
  if (options.detach) {
    const handOver = { approvals, trustsProject: options.trust };
    return detach(machine, { prepared, handOver }, invocation);
  }
  const recording = await startRecording(machine, options.record, invocation);
  const rings = config.settings.notify === true;
  const background = backgroundTerms(options, async (run) => {
    const { resumeDetached } = await import("../background/hand-over.ts");
    const handOver = { approvals, trustsProject: options.trust };
    return resumeDetached(machine, { run, limits: undefined }, handOver);
  });
  const attendance = createAttendance({ machine, io, settings, progress, rings, background });
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

function heedOtherRuns(
  machine: Machine,
  isExclusive: boolean,
  { io, settings }: Invocation<unknown>,
): void {
  const busy = findBusyDirectory(machine);
  if (busy === undefined) return;
  if (isExclusive) throw busy;
  reportWarning(busy, io, settings);
}
