import { commandRun } from "../../app/run/commands/command-run.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import type { ActionOf } from "../command/command.ts";
import { openMachine } from "../command/open-machine.ts";
import { targetOperand } from "../command/target-operand.ts";
import { tellReceipt } from "../command/tell-receipt.ts";
import type { cancelCommand } from "../commands/cancel.ts";

/** `troupe cancel` */
export const cancelAction: ActionOf<typeof cancelCommand> = async (invocation) => {
  const { message: reason = "cancelled by user" } = invocation.options;
  const machine = await openMachine(invocation);
  const { run } = resolveTarget(machine, targetOperand(invocation.args));
  const receipt = await commandRun(machine, run, { command: { kind: "cancel", reason } });
  return tellReceipt(receipt, `${receipt.run} is being cancelled`, invocation);
};
