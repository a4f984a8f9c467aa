import { assertCaller } from "./caller/assert-caller.ts";
import type { CliCommand } from "./command/command.ts";
import { errorFormOf, errorFormOfUnread } from "./command/error-form.ts";
import { type ParsedCommandLine, parseCommandLine } from "./command/parse-command-line.ts";
import { loadCalled, loadCommands } from "./registry.ts";
import type { Io } from "./terminal/io.ts";
import { readSettings } from "./terminal/settings.ts";

/**
 * Does what a command line asks for and tells every error, also that what it had to say could not be written. Resolves with
 * the exit code; never rejects.
 */
export async function runCli(
  args: readonly string[],
  io: Io,
  given?: readonly CliCommand[],
): Promise<number> {
  const exitCode = await callCommand(args, io, given);
  const problem = await io.stdout.flush();
  if (problem !== undefined) {
    const { reportUnwritten } = await import("./command/report-error.ts");
    return reportUnwritten(problem, exitCode, { args, io });
  }
  await io.stderr.flush();
  return exitCode;
}

async function callCommand(
  args: readonly string[],
  io: Io,
  given?: readonly CliCommand[],
): Promise<number> {
  let known: readonly CliCommand[] = [];
  let parsed: ParsedCommandLine | undefined;
  try {
    if (args.length === 0 && io.stdout.isTerminal)
      return await (await import("./welcome.ts")).welcome(io);
    known = given ?? (await loadCalled(args));
    parsed = parseCommandLine(args, known, io);
    if (parsed.status === "told") return 0;
    const { command, args: operands, rest, options, globals } = parsed;
    const settings = readSettings(globals, io, errorFormOf(command, options));
    const called = { args: operands, rest, options, settings, io, commands: loadCommands };
    const allowed = await assertCaller(command, called);
    const action = await command.load();
    return await action(allowed);
  } catch (error) {
    const { reportError } = await import("./command/report-error.ts");
    if (parsed?.status !== "called")
      return reportError(error, io, readSettings({}, io, errorFormOfUnread(args, known)));
    const { command, options, globals } = parsed;
    return reportError(error, io, readSettings(globals, io, errorFormOf(command, options)));
  }
}
