import { Argument, Command, CommanderError, Option } from "commander";
import { VERSION } from "../../app/machine/place/version.ts";
import { isDuration } from "../../foundation/duration.ts";
import type { Io } from "../terminal/io.ts";
import type { ArgumentSpec, CliCommand } from "./command.ts";
import { firstCommand } from "./error-form.ts";
import { usageInvalid } from "./errors.ts";
import { globalOptions } from "./global-options.ts";
import { type OptionSpec, optionValues } from "./option.ts";
import { asCalled } from "./suggested-commands.ts";

/** What a command line asks for. */
export type ParsedCommandLine =
  /** Help or the version, which is printed. */
  | { readonly status: "told" }
  | {
      readonly status: "called";
      readonly command: CliCommand;
      readonly args: readonly string[];
      readonly rest: readonly string[];
      readonly options: { readonly [name: string]: unknown };
      readonly globals: { readonly [name: string]: unknown };
    };

/** Widest help; longer lines are hard to read. */
const MAX_HELP_COLUMNS = 100;
const DEFAULT_HELP_COLUMNS = 80;

/**
 * Reads a command line by the commands that may be called in it; help knows no others. Raises USAGE_INVALID. Loads
 * nothing but commander.
 */
export function parseCommandLine(
  args: readonly string[],
  commands: readonly CliCommand[],
  io: Io,
): ParsedCommandLine {
  const program = createProgram(io);
  const calls: ParsedCommandLine[] = [];
  for (const command of commands) {
    const registered = register(program, command);
    registered.action(() => {
      const { args: operands } = registered;
      const options = optionValues(command.options ?? [], registered.opts());
      const globals = program.opts();
      const rest = restOf(args, operands);
      calls.push({ status: "called", command, args: operands, rest, options, globals });
    });
  }
  if (args.length === 0) {
    program.outputHelp();
    return { status: "told" };
  }
  try {
    program.parse(withPlainFlags(args), { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return { status: "told" };
    throw error instanceof CommanderError
      ? toUsageError(error, firstCommand(args, commands), commands)
      : error;
  }
  const [call] = calls;
  if (call === undefined) throw usageInvalid({ problem: "no command was given" });
  return call;
}

function createProgram(io: Io): Command {
  const columns = Math.min(io.stdout.columns ?? DEFAULT_HELP_COLUMNS, MAX_HELP_COLUMNS);
  const program = new Command("troupe")
    .description("Runs teams of AI agents: journaled, resumable, observable")
    .usage("COMMAND [options]")
    .version(VERSION, "--version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print the help of a command")
    .configureOutput({
      writeOut: (text) => io.stdout.write(asCalled(text)),
      // Errors are thrown and told by the caller, all in one form.
      writeErr: () => {},
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({
      showGlobalOptions: true,
      minWidthToWrap: 20,
      // What a command takes is said by its own help.
      subcommandTerm: (command) => command.name(),
    })
    .exitOverride();
  for (const spec of globalOptions) program.addOption(toOption(spec));
  return program.addHelpText("after", "\nFirst steps: troupe demo");
}

function register(program: Command, spec: CliCommand): Command {
  const { name, aliases = [], summary, group, options = [], notes = [] } = spec;
  const command = program.command(name).description(summary).helpGroup(`${group}:`);
  command.aliases(aliases);
  for (const argument of spec.arguments ?? []) command.addArgument(toArgument(argument));
  for (const option of options) command.addOption(toOption(option));
  if (notes.length > 0) command.addHelpText("after", `\n${notes.join("\n")}`);
  return command.copyInheritedSettings(program);
}

function toArgument({ name, about, choices }: ArgumentSpec): Argument {
  const argument = new Argument(name, about);
  return choices === undefined ? argument : argument.choices(choices);
}

function toOption({ flags, about, choices, isRepeatable, isHidden }: OptionSpec): Option {
  const option = new Option(flags, about);
  if (choices !== undefined) option.choices(choices);
  if (isHidden) option.hideHelp();
  if (isRepeatable)
    option.argParser<readonly string[]>((value, previous = []) => [...previous, value]);
  return option;
}

/** The operands that stood after `--`, which commander takes away. */
function restOf(args: readonly string[], operands: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  const rest = end < 0 ? [] : args.slice(end + 1);
  // Where `--` was the value of an option, what follows it is no end of the operands.
  const isEnd = rest.every((arg, index) => operands[operands.length - rest.length + index] === arg);
  return isEnd ? rest : [];
}

/** Commander says `error: what\n(Did you mean x?)`. */
function toUsageError(
  { message }: CommanderError,
  called: CliCommand | undefined,
  commands: readonly CliCommand[],
): Error {
  const [first = "", ...rest] = message.split("\n");
  const guess = commandMeant(first, commands) ?? rest.join(" ").replace(/^\(|\)$/g, "");
  const help =
    called === undefined
      ? "troupe help shows the commands and their options"
      : `troupe help ${called.name} shows what it takes`;
  const problem = first
    .replace(/^error: /, "")
    .replace(/^command-argument value ('.*') is invalid for argument '(\w+)'/s, "$1 is no $2")
    .replace(/ argument missing$/, " needs a value");
  return usageInvalid({ problem, hint: guess === "" ? help : lowerFirst(guess) });
}

/** Modes that elsewhere are options are commands here: `--iter 5`. */
function commandMeant(problem: string, commands: readonly CliCommand[]): string | undefined {
  const [, option] = /unknown option '--([\w-]+)/.exec(problem) ?? [];
  const meant = commands.find(({ name }) => name === option);
  return meant && `write troupe ${meant.name}${operandsOf(meant)}`;
}

function operandsOf({ arguments: operands = [] }: CliCommand): string {
  return operands
    .filter(({ name }) => !name.includes("..."))
    .map(({ name }) => ` ${name.replace(/[[\]<>]/g, "").toUpperCase()}`)
    .join("");
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * Rewrites options with an optional value, which would swallow the argument after them: `--json=all` is a flag
 * of its own, and `--wait` takes the next argument only if that is a duration.
 */
function withPlainFlags(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  return args.map((arg, index) => {
    if (end >= 0 && index > end) return arg;
    if (arg === "--json=all") return "--json-all";
    return arg === "--wait" && !isDuration(args[index + 1] ?? "") ? "--wait=" : arg;
  });
}
