import { z } from "zod";
import { commandRun } from "../../app/command-run.ts";
import type { Action } from "../command.ts";
import { openMachine } from "../open-machine.ts";
import { tellReceipt } from "../tell-receipt.ts";

const cancelOptions = z.object({ message: z.string().default("cancelled by user") });

/** `troupe cancel` */
export const cancelAction: Action = async (invocation) => {
  const { message: reason } = cancelOptions.parse(invocation.options);
  const machine = await openMachine(invocation);
  const [given = ""] = invocation.args;
  const receipt = await commandRun(machine, given, { command: { kind: "cancel", reason } });
  return tellReceipt(receipt, `${receipt.run} is being cancelled`, invocation);
};
