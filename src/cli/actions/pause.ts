import { commandRun } from "../../app/command-run.ts";
import type { Action } from "../command.ts";
import { openMachine } from "../open-machine.ts";
import { tellReceipt } from "../tell-receipt.ts";

/** `troupe pause` */
export const pauseAction: Action = async (invocation) => {
  const machine = await openMachine(invocation);
  const [given = ""] = invocation.args;
  const receipt = await commandRun(machine, given, { command: { kind: "pause" } });
  const told = `${receipt.run} is being paused; go on with: troupe resume ${receipt.run}`;
  return tellReceipt(receipt, told, invocation);
};
