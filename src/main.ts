import { createProcessIo } from "./cli/process-io.ts";
import { runCli } from "./cli/run-cli.ts";

async function main(args: readonly string[]): Promise<never> {
  const isDaemon = args.length === 2 && args[0] === "daemon" && args[1] === "serve";
  const exitCode = isDaemon
    ? await (await import("./daemon/serve.ts")).serveDaemon(process.env)
    : await runCli(args, createProcessIo());
  // Modules of users may have left something open; a command is over when it is done.
  process.exit(exitCode);
}

/** The command, which ends this process when it is over; rejects when it could not even say what is wrong. */
export const finished: Promise<never> = main(process.argv.slice(2));
