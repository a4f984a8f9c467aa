import { commandRun } from "../../app/command-run.ts";
import { findWaitingItem } from "../../app/run-lookup.ts";
import type { Action } from "../command.ts";
import { decisionImpossible } from "../errors.ts";
import { openMachine } from "../open-machine.ts";
import { readStdin } from "../prepare/read-input.ts";
import { tellReceipt } from "../tell-receipt.ts";

/** `troupe answer` */
export const answerAction: Action = async (invocation) => {
  const [given = "", text = ""] = invocation.args;
  const answer = text === "-" ? await readStdin(invocation.io) : text;
  const machine = await openMachine(invocation);
  const { run, id, kind } = findWaitingItem(machine.store, given);
  if (kind !== "question") throw decisionImpossible({ id, kind, command: "answer" });
  const receipt = await commandRun(machine, run, {
    command: { kind: "answer-question", id, answer },
  });
  return tellReceipt(receipt, `${id} answered`, invocation);
};
