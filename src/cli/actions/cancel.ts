import { z } from "zod";
import { commandRun } from "../../app/run/commands/command-run.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import type { Action } from "../command/command.ts";
import { openMachine } from "../command/open-machine.ts";
import { tellReceipt } from "../command/tell-receipt.ts";

const cancelOptions = z.object({ message: z.string().default("cancelled by user") });

/** `troupe cancel` */
export const cancelAction: Action = async (invocation) => {
  const { message: reason } = cancelOptions.parse(invocation.options);
  const machine = await openMachine(invocation);
  const { run } = resolveTarget(machine, invocation.args[0] ?? "");
  const receipt = await commandRun(machine, run, { command: { kind: "cancel", reason } });
  return tellReceipt(receipt, `${receipt.run} is being cancelled`, invocation);
};
