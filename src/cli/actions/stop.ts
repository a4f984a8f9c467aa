import type { Machine } from "../../app/machine/machine.ts";
import { commandRun } from "../../app/run/commands/command-run.ts";
import type { RunCommand } from "../../contracts/events/run-events.ts";
import {
  allStopTargets,
  findStopTargets,
  type StopTarget,
  stopChoices,
} from "../background/stop-targets.ts";
import { type Stopped, waitForStop } from "../background/wait-for-stop.ts";
import { TROUPE } from "../command/called-as.ts";
import type { ActionOf, Invocation } from "../command/command.ts";
import { stopTargetMissing, usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import type { stopCommand } from "../commands/stop.ts";

/** `troupe stop`: ends agents, and with the last of them what was started to go on. */
export const stopAction: ActionOf<typeof stopCommand> = async (invocation) => {
  const { all: isAll, force: isForced, json: isJson } = invocation.options;
  const [given] = invocation.args;
  if (isAll && given !== undefined)
    throw usageInvalid({ problem: `--all stops everything, so "${given}" is too much` });
  const machine = await openMachine(invocation);
  if (!isAll && given === undefined) throw stopTargetMissing({ choices: stopChoices(machine) });
  const targets = given === undefined ? allStopTargets(machine) : findStopTargets(machine, given);
  const stopped = await Promise.all(
    targets.map(async (target) => ({
      ...target,
      status: await stop(machine, target, isForced),
    })),
  );
  tell(stopped, isJson, invocation);
  return EXIT.completed;
};

async function stop(
  machine: Machine,
  { run, agent }: StopTarget,
  isForced: boolean,
): Promise<Stopped> {
  const force = isForced ? { force: true } : {};
  const command: RunCommand =
    agent === undefined ? { kind: "stop", ...force } : { kind: "release", agent, ...force };
  return waitForStop(machine, await commandRun(machine, run, { command }), agent);
}

function tell(
  stopped: readonly (StopTarget & { readonly status: Stopped })[],
  isJson: boolean,
  { io, settings }: Pick<Invocation, "io" | "settings">,
): void {
  if (isJson) {
    const list = stopped.map(({ run, agent = null, status }) => ({ run, agent, status }));
    io.stdout.write(`${JSON.stringify({ v: 1, stopped: list })}\n`);
    return;
  }
  if (settings.isQuiet) return;
  const lines = stopped.map(({ name, run, status }) => `${name} ${WORDS[status](run)}`);
  io.stdout.write(`${lines.length === 0 ? "nothing runs here" : lines.join("\n")}\n`);
}

const WORDS: { readonly [status in Stopped]: (run: string) => string } = {
  stopped: () => "stopped",
  stopping: (run) => `is being stopped; it still works: ${TROUPE} peek ${run}; --force cuts it off`,
  recorded: (run) => `will be stopped; nobody runs it: ${TROUPE} resume ${run}`,
};
