import type { CommandReceipt } from "../app/command-run.ts";
import type { Invocation } from "./command.ts";
import { EXIT } from "./exit-codes.ts";

/** Says what became of a command on a run: `told` when its owner took it, else that it waits in the journal. */
export function tellReceipt(
  receipt: CommandReceipt,
  told: string,
  { io, settings }: Pick<Invocation, "io" | "settings">,
): number {
  const text =
    receipt.status === "done" ? told : `recorded; nobody runs it: troupe resume ${receipt.root}`;
  if (!settings.isQuiet) io.stdout.write(`${text}\n`);
  return EXIT.completed;
}
