import type { CliCommand } from "../../src/cli/command/command.ts";
import { nearestName } from "../../src/foundation/near-names.ts";
import { FILLED } from "./told-texts.ts";

/** A command of Troupe that a text names. */
export interface ToldCommand {
  readonly name: string;
  /** Operands and options as they stand; without any the sentence may only speak of the command. */
  readonly typed: readonly string[];
}

// No path: a command or what should be one follows.
const CALLED = /(?<![\w@./-])troupe (?=[a-z])/g;
// Sentences about Troupe whose verb looks like a command.
const PREDICATES: ReadonlySet<string> = new Set([
  ...["does", "has", "is", "knows", "that", "uses", "was", "works"],
]);

/** Every command of Troupe that a text suggests. */
export function toldCommands(
  text: string,
  commands: readonly CliCommand[],
): readonly ToldCommand[] {
  return [...text.matchAll(CALLED)].flatMap(({ index }) => {
    const [first = "", ...rest] = wordsFrom(text.slice(index + "troupe ".length));
    const name = withoutMarks(first);
    const command = commands.find((one) => one.name === name || one.aliases?.includes(name));
    if (command === undefined && !isMisspelt(name, commands)) return [];
    const typed = command === undefined || name !== first ? [] : typedAfter(command, rest);
    return [{ name, typed }];
  });
}

/** A word that is nearly a command was to be one; any other is the verb of a sentence about Troupe. */
function isMisspelt(word: string, commands: readonly CliCommand[]): boolean {
  const names = commands.map(({ name }) => name);
  return !PREDICATES.has(word) && nearestName(word, names) !== undefined;
}

/** Operands and options up to where the sentence goes on. */
function typedAfter(command: CliCommand, words: readonly string[]): readonly string[] {
  const choices = command.arguments?.flatMap((operand) => operand.choices ?? []) ?? [];
  const typed: string[] = [];
  for (const word of words) {
    const bare = withoutMarks(word);
    // What is filled in may be nothing.
    if (bare === FILLED && typed.at(-1) === FILLED) continue;
    const isValue = takesValue(command, typed.at(-1));
    if (!isValue && !choices.includes(bare) && !isTyped(bare)) break;
    typed.push(isValue && bare === FILLED ? filledValue(command, typed.at(-1)) : unquoted(bare));
    if (bare !== word) break;
  }
  return typed;
}

// Words of a sentence are in lower case; what is typed stands for something, is quoted, or an option.
function isTyped(word: string): boolean {
  return (
    word.includes(FILLED) ||
    /^(?:[A-Z][A-Z_0-9]*|"[^"]*"|--?[a-z].*|--?|[@#].*|\d+[smhd]?|\S+\.(?:yaml|ts|md|sh)|\S+=\S+)$/.test(
      word,
    )
  );
}

function takesValue({ options = [] }: CliCommand, before: string | undefined): boolean {
  return options.some(
    ({ flags }) => before !== undefined && named(flags, before) && /[<[]/.test(flags),
  );
}

function filledValue({ options = [] }: CliCommand, flag = ""): string {
  return options.find(({ flags }) => named(flags, flag))?.choices?.[0] ?? FILLED;
}

function named(flags: string, flag: string): boolean {
  return flags.split(/[ ,]+/).includes(flag);
}

function withoutMarks(word: string): string {
  return word.replace(/[.,;:)`]+$/, "");
}

function unquoted(word: string): string {
  return word.replaceAll('"', "");
}

/** Words, with quoted texts as one. */
function wordsFrom(text: string): readonly string[] {
  const [line = ""] = text.split("\n");
  return [...line.matchAll(/"[^"]*"\S*|\S+/g)].map(([word]) => word);
}
