import { parseDuration } from "../../foundation/duration.ts";
import { converse } from "../agents/converse.ts";
import { findTarget, readMessageOperands, readText } from "../agents/read-operands.ts";
import type { ActionOf } from "../command/command.ts";
import { openMachine } from "../command/open-machine.ts";
import type { askCommand } from "../commands/ask.ts";

/** `troupe ask`: sends a message and prints nothing but the answer. */
export const askAction: ActionOf<typeof askCommand> = async (invocation) => {
  const { to, interrupt, key, timeout, json } = invocation.options;
  const operands = readMessageOperands(invocation, to);
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout, "--timeout");
  const machine = await openMachine(invocation);
  const target = findTarget(machine, operands.target);
  const message = {
    text: await readText(operands.text, invocation),
    channel: undefined,
    isInterrupt: interrupt,
    key: key ?? machine.newKey(),
  };
  const conversation = { target, message, wait: { timeoutMs }, tellsSent: false, isJson: json };
  return converse(machine, conversation, invocation);
};
