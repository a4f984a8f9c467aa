import { commandRun } from "../../app/run/commands/command-run.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import { TROUPE } from "../command/called-as.ts";
import type { ActionOf } from "../command/command.ts";
import { openMachine } from "../command/open-machine.ts";
import { targetOperand } from "../command/target-operand.ts";
import { tellReceipt } from "../command/tell-receipt.ts";
import type { pauseCommand } from "../commands/pause.ts";

/** `troupe pause` */
export const pauseAction: ActionOf<typeof pauseCommand> = async (invocation) => {
  const machine = await openMachine(invocation);
  const { run } = resolveTarget(machine, targetOperand(invocation.args));
  const receipt = await commandRun(machine, run, { command: { kind: "pause" } });
  const told = `${receipt.run} is being paused; go on with: ${TROUPE} resume ${receipt.run}`;
  return tellReceipt(receipt, told, invocation);
};
