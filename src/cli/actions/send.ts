import type { Target } from "../../app/runs/resolve-target.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { ID_PATTERN } from "../../foundation/ids.ts";
import { converse } from "../agents/converse.ts";
import { findTarget, readMessageOperands, readText } from "../agents/read-operands.ts";
import type { ActionOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { openMachine } from "../command/open-machine.ts";
import type { sendCommand } from "../commands/send.ts";

/** `troupe send` */
export const sendAction: ActionOf<typeof sendCommand> = async (invocation) => {
  const { to, channel, interrupt, key, wait, json } = invocation.options;
  const operands = readMessageOperands(invocation, to);
  const timing = wait === undefined || wait === false ? undefined : { timeoutMs: toTimeout(wait) };
  const machine = await openMachine(invocation);
  const found = findTarget(machine, operands.target);
  const target = channel === undefined ? found : channelTarget(found, operands.target);
  const message = {
    text: await readText(operands.text, invocation),
    channel: channel === undefined ? undefined : toChannel(channel),
    isInterrupt: interrupt,
    key: key ?? machine.newKey(),
  };
  const conversation = { target, message, wait: timing, tellsSent: true, isJson: json };
  return converse(machine, conversation, invocation);
};

/** `--wait` alone waits as long as it takes. Raises DURATION_INVALID. */
function toTimeout(wait: true | string): number | undefined {
  return wait === true || wait === "" ? undefined : parseDuration(wait, "--wait");
}

/** A channel belongs to a run; the default agent stands for its run. Raises USAGE_INVALID. */
function channelTarget({ run, agent }: Target, given: string | undefined): Target {
  if (agent === undefined || given === undefined) return { run };
  throw usageInvalid({
    problem: `--channel goes with a run, and "${given}" is an agent`,
    hint: `troupe send ${run} "@${agent} …" --channel NAME`,
  });
}

function toChannel(given: string): string {
  const name = given.replace(/^#/u, "");
  if (ID_PATTERN.test(name)) return name;
  throw usageInvalid({ problem: `"${given}" cannot be the name of a channel` });
}
