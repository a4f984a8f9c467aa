import { commandRun } from "../../app/run/commands/command-run.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import { inspectRun } from "../../app/runs/run-lookup.ts";
import { STANDALONE_PROGRAM } from "../../app/workflow/shapes/standalone.ts";
import { waitForStop } from "../background/wait-for-stop.ts";
import { TROUPE } from "../command/called-as.ts";
import type { ActionOf } from "../command/command.ts";
import { agentNotStandalone } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import type { rmCommand } from "../commands/rm.ts";

/** `troupe rm`: ends a standalone agent. */
export const rmAction: ActionOf<typeof rmCommand> = async (invocation) => {
  const { force: isForced, json: isJson } = invocation.options;
  const { args, io, settings } = invocation;
  const name = args[0] ?? "";
  const machine = await openMachine(invocation);
  const { run } = resolveTarget(machine, name);
  if (inspectRun(machine, run).run.program !== STANDALONE_PROGRAM)
    throw agentNotStandalone({ name, run });
  const command = { kind: "stop", ...(isForced ? { force: true } : {}) } as const;
  const receipt = await commandRun(machine, run, { command });
  const status = await waitForStop(machine, receipt, undefined);
  if (isJson) io.stdout.write(`${JSON.stringify({ v: 1, agent: name, run, status })}\n`);
  else if (!settings.isQuiet) io.stdout.write(`${name} ${WORDS[status]} (${run})\n`);
  return EXIT.completed;
};

const WORDS = {
  stopped: "is gone",
  stopping: "goes when its turn has ended",
  recorded: `goes as soon as the daemon runs again: ${TROUPE} daemon start`,
} as const;
