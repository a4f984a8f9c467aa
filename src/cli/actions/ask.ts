import { z } from "zod";
import { parseDuration } from "../../foundation/duration.ts";
import { converse } from "../agents/converse.ts";
import { findTarget, readMessageOperands, readText } from "../agents/read-operands.ts";
import type { Action } from "../command/command.ts";
import { openMachine } from "../command/open-machine.ts";

const askOptions = z.object({
  to: z.string().exactOptional(),
  interrupt: z.boolean().default(false),
  key: z.string().exactOptional(),
  timeout: z.string().exactOptional(),
  json: z.boolean().default(false),
});

/** `troupe ask`: sends a message and prints nothing but the answer. */
export const askAction: Action = async (invocation) => {
  const { to, interrupt, key, timeout, json } = askOptions.parse(invocation.options);
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
