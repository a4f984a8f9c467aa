import type { CommandReceipt } from "../app/command-run.ts";
import type { Invocation } from "./command.ts";
import { EXIT } from "./exit-codes.ts";

/** Says what became of a command on a run: `told` when its owner took it, else that it waits in the journal. */
export function tellReceipt(
  receipt: CommandReceipt,
  told: string,
  { io, settings }: Pick<Invocation, "io" | "settings">,
): number {
  const { status, run } = receipt;
  const recorded = `recorded; nobody runs it: troupe resume ${run}`;
  if (!settings.isQuiet) io.stdout.write(`${status === "done" ? told : recorded}\n`);
  return EXIT.completed;
}
