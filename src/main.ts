import { createProcessIo, flushOutput } from "./cli/process-io.ts";
import { runCli } from "./cli/run-cli.ts";

async function main(): Promise<never> {
  const exitCode = await runCli(process.argv.slice(2), createProcessIo());
  await flushOutput();
  // Modules of users may have left something open; a command is over when it is done.
  process.exit(exitCode);
}

/** The command, which ends this process when it is over; rejects when it could not even say what is wrong. */
export const finished: Promise<never> = main();
