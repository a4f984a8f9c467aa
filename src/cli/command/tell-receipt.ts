import type { CommandReceipt } from "../../app/run/commands/command-run.ts";
import { TROUPE } from "./called-as.ts";
import type { Invocation } from "./command.ts";
import { EXIT } from "./exit-codes.ts";

const MAX_NAMES = 5;

/**
 * Says what became of a command on a run: `told` when its owner took it, else that it waits in the journal, or
 * that it ended the run.
 */
export function tellReceipt(
  receipt: CommandReceipt,
  told: string,
  { io, settings }: Pick<Invocation, "io" | "settings">,
): number {
  if (!settings.isQuiet) io.stdout.write(`${textFor(receipt, told)}\n`);
  return EXIT.completed;
}

function textFor(receipt: CommandReceipt, told: string): string {
  switch (receipt.status) {
    case "done":
      return told;
    case "recorded":
      return `recorded; nobody runs it: ${TROUPE} resume ${receipt.root}`;
    case "ended": {
      const { run, outcome, cutOff } = receipt;
      const names = cutOff.slice(0, MAX_NAMES).join(", ");
      const more = cutOff.length > MAX_NAMES ? ` and ${cutOff.length - MAX_NAMES} more` : "";
      return `${run} is ${outcome}; nobody ran it${names === "" ? "" : `. Cut off, with nothing cleaned up: ${names}${more}`}`;
    }
  }
}
