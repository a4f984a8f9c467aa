import { z } from "zod";
import { findBusyDirectory } from "../../app/busy-directory.ts";
import type { Machine } from "../../app/machine.ts";
import { startRun } from "../../app/start-run.ts";
import { asksInTerminal, attendRun } from "../attend/attend-run.ts";
import { chooseProgress } from "../attend/progress.ts";
import { watchStops } from "../attend/stop-watch.ts";
import type { Action, Invocation } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { openMachine } from "../open-machine.ts";
import { type PreparedRun, prepareRun } from "../prepare/prepare-run.ts";
import { reportWarning } from "../report-error.ts";

const runOptions = z.object({
  approve: z.enum(["ask", "all", "none"]).default("ask"),
  exclusive: z.boolean().default(false),
  progress: z.enum(["auto", "plain", "json", "none"]).exactOptional(),
  json: z.boolean().exactOptional(),
  jsonAll: z.boolean().exactOptional(),
});

/** `troupe run`: checks everything, starts the run, and stays until it is over or let go. */
export const runAction: Action = async (invocation) => {
  const { io, settings } = invocation;
  const options = runOptions.parse(invocation.options);
  const progress = chooseProgress(options, settings.isQuiet);
  const machine = await openMachine(invocation);
  const prepared = await prepareRun(machine, invocation);
  if (prepared === undefined) return EXIT.usage;
  heedOtherRuns(machine, options.exclusive, invocation);
  const attendance = { machine, io, settings, progress };
  return carryOut(prepared, {
    ...attendance,
    approvals: options.approve,
    suspendsWhenWaiting: !asksInTerminal(attendance),
  });
};

type Carrying = Parameters<typeof attendRun>[1] & {
  readonly approvals: z.infer<typeof runOptions>["approve"];
  readonly suspendsWhenWaiting: boolean;
};

async function carryOut(prepared: PreparedRun, carrying: Carrying): Promise<number> {
  const { machine, io, approvals, suspendsWhenWaiting } = carrying;
  const stops = watchStops(io);
  try {
    const { definition, start } = prepared;
    const run = await startRun(machine, definition, { ...start, approvals, suspendsWhenWaiting });
    stops.attach(run);
    return await attendRun(run, carrying);
  } finally {
    stops.close();
  }
}

function heedOtherRuns(machine: Machine, isExclusive: boolean, { io, settings }: Invocation): void {
  const busy = findBusyDirectory(machine);
  if (busy === undefined) return;
  if (isExclusive) throw busy;
  reportWarning(busy, io, settings);
}
