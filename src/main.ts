import { createProcessIo, flushOutput } from "./cli/process-io.ts";
import { runCli } from "./cli/run-cli.ts";

const exitCode = await runCli(process.argv.slice(2), createProcessIo());
await flushOutput();
// Modules of users may have left something open; a command is over when it is done.
process.exit(exitCode);
