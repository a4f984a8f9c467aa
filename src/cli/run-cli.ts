import type { CliCommand } from "./command.ts";
import { commands } from "./commands/registry.ts";
import type { Io } from "./io.ts";
import { type ParsedCommandLine, parseCommandLine } from "./parse-command-line.ts";
import { readSettings } from "./settings.ts";

/** Does what a command line asks for and tells every error. Resolves with the exit code; never rejects. */
export async function runCli(
  args: readonly string[],
  io: Io,
  known: readonly CliCommand[] = commands,
): Promise<number> {
  let parsed: ParsedCommandLine | undefined;
  try {
    parsed = parseCommandLine(args, known, io);
    if (parsed.status === "told") return 0;
    const { command, args: operands, options, globals } = parsed;
    const action = await command.load();
    return await action({ args: operands, options, settings: readSettings(globals, io), io });
  } catch (error) {
    const { reportError } = await import("./report-error.ts");
    const globals = parsed?.status === "called" ? parsed.globals : {};
    return reportError(error, io, readSettings(globals, io));
  }
}
