import type { ArgumentSpec, CliCommand } from "../command/command.ts";
import { globalOptions } from "../command/global-options.ts";
import type { OptionSpec } from "../command/option.ts";
import { readFlags } from "./flags.ts";

/** What may stand where somebody is typing. */
export type TypedLine =
  | { readonly place: "command" }
  | { readonly place: "option"; readonly options: readonly OptionSpec[] }
  | {
      readonly place: "value";
      readonly option: OptionSpec;
      /** What stands before the value in the same word, such as `--step=`. */
      readonly prefix: string;
      readonly operands: readonly string[];
    }
  | {
      readonly place: "operand";
      readonly argument: ArgumentSpec;
      readonly operands: readonly string[];
    }
  | { readonly place: "nothing" };

const HELP: OptionSpec = { flags: "-h, --help", about: "print help" };
const VERSION: OptionSpec = { flags: "--version", about: "print the version" };

/** The options that may stand after a command, or before one. */
function optionsOf(command: CliCommand | undefined): readonly OptionSpec[] {
  const all = [...(command?.options ?? []), ...globalOptions, VERSION, HELP];
  return all.filter(({ isHidden }) => isHidden !== true);
}

/** Finds out what the last of the words can be, by the same data that the parser is made of. */
export function readTypedLine(
  words: readonly string[],
  commands: readonly CliCommand[],
): TypedLine {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  const reading = readWords(before, commands);
  const { command, pending, operands, isLiteral } = reading;
  if (pending !== undefined) return { place: "value", option: pending, prefix: "", operands };
  const options = optionsOf(command);
  if (current.startsWith("-") && !isLiteral) {
    const [flag = "", value] = current.split("=", 2);
    const option = value === undefined ? undefined : findOption(options, flag);
    if (option !== undefined) return { place: "value", option, prefix: `${flag}=`, operands };
    return { place: "option", options };
  }
  if (command === undefined) return { place: "command" };
  const specs = command.arguments ?? [];
  const last = specs.at(-1);
  const argument = specs[operands.length] ?? (last?.name.includes("...") ? last : undefined);
  return argument === undefined ? { place: "nothing" } : { place: "operand", argument, operands };
}

interface Reading {
  readonly command: CliCommand | undefined;
  /** The option whose value comes next. */
  readonly pending: OptionSpec | undefined;
  readonly operands: readonly string[];
  /** Whether `--` has been: nothing is an option any more. */
  readonly isLiteral: boolean;
}

function readWords(words: readonly string[], commands: readonly CliCommand[]): Reading {
  let reading: Reading = { command: undefined, pending: undefined, operands: [], isLiteral: false };
  for (const word of words) reading = next(reading, word, commands);
  return reading;
}

function next(reading: Reading, word: string, commands: readonly CliCommand[]): Reading {
  const { command, pending, operands, isLiteral } = reading;
  if (pending !== undefined) return { ...reading, pending: undefined };
  if (word === "--" && !isLiteral) return { ...reading, isLiteral: true };
  if (word.startsWith("-") && !isLiteral) {
    const option = findOption(optionsOf(command), word);
    return option === undefined ? reading : { ...reading, pending: option };
  }
  if (command !== undefined) return { ...reading, operands: [...operands, word] };
  const named = commands.find(({ name, aliases }) => name === word || aliases?.includes(word));
  return { ...reading, command: named };
}

/** The option of a flag, if it takes a value. */
function findOption(options: readonly OptionSpec[], flag: string): OptionSpec | undefined {
  return options.find((option) => {
    const { short, long, placeholder } = readFlags(option);
    return placeholder !== undefined && (short === flag || long === flag);
  });
}
