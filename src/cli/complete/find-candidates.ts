import type { Candidate } from "../../app/setup/completion/candidate.ts";
import type { CliCommand } from "../command/command.ts";
import type { OptionSpec } from "../command/option.ts";
import { readFlags } from "./flags.ts";
import { readTypedLine, type TypedLine } from "./typed-line.ts";

/** What values are wanted. */
export interface ValueWish {
  readonly kind: ValueKind;
  /** What stands there already. */
  readonly typed: string;
  /** The operands before. */
  readonly operands: readonly string[];
}

/** Finds values of a kind. */
export type ValueSource = (wish: ValueWish) => Promise<readonly Candidate[]>;

/** What may take the place of the last word, in the order in which it is shown. */
export async function findCandidates(
  words: readonly string[],
  commands: readonly CliCommand[],
  source: ValueSource,
): Promise<readonly Candidate[]> {
  const typed = words.at(-1) ?? "";
  const all = await candidatesOf(readTypedLine(words, commands), typed, { commands, source });
  return all.filter(({ value }) => value.startsWith(typed));
}

async function candidatesOf(
  line: TypedLine,
  typed: string,
  { commands, source }: { readonly commands: readonly CliCommand[]; readonly source: ValueSource },
): Promise<readonly Candidate[]> {
  switch (line.place) {
    case "command":
      return [...commands.map(toCommand), { value: "help", about: "print the help of a command" }];
    case "option":
      return line.options.flatMap(toFlags);
    case "value": {
      const { option, prefix, operands } = line;
      const { long = "", placeholder = "" } = readFlags(option);
      const kind = valueKindOf(placeholder, long);
      const values =
        option.choices?.map(toCandidate) ??
        (await source({ kind, typed: typed.slice(prefix.length), operands }));
      return values.map((candidate) => ({ ...candidate, value: `${prefix}${candidate.value}` }));
    }
    case "operand": {
      const { argument, operands } = line;
      const kind = valueKindOf(argument.name.replace(/[<>[\].]/g, ""));
      return argument.choices?.map(toCandidate) ?? source({ kind, typed, operands });
    }
    case "nothing":
      return [];
  }
}

function toCommand({ name, summary }: CliCommand): Candidate {
  return { value: name, about: summary };
}

function toFlags(option: OptionSpec): readonly Candidate[] {
  const { long, short } = readFlags(option);
  return [long, short].flatMap((value) =>
    value === undefined ? [] : [{ value, about: option.about }],
  );
}

function toCandidate(value: string): Candidate {
  return { value };
}

/** What a value of the command line names. */
type ValueKind =
  | "run"
  | "target"
  | "file-or-run"
  | "workflow"
  | "template"
  | "agent"
  | "step"
  | "item"
  | "code"
  | "schedule"
  | "scheduled"
  | "file"
  | "directory"
  | "unknown";

// Commands describe their values in help by one word; that word says enough.
const BY_OPTION: ReadonlyMap<string, ValueKind> = new Map([
  ["--agent id", "agent"],
  ["--step id", "step"],
  ["--from step", "step"],
  ["--only step", "step"],
  ["--at seq-or-step", "step"],
]);

const BY_WORD: ReadonlyMap<string, ValueKind> = new Map([
  ["run", "run"],
  ["run-b", "run"],
  ["runs", "run"],
  ["target", "target"],
  ["file-or-run", "file-or-run"],
  ["file", "workflow"],
  ["file-or-action", "scheduled"],
  ["name-or-task", "schedule"],
  ["files", "workflow"],
  ["template", "template"],
  ["id", "item"],
  ["code", "code"],
  ["path", "file"],
  ["directory", "directory"],
]);

/** The kind of a value by the word that stands for it in help, and by its option. */
function valueKindOf(word: string, option = ""): ValueKind {
  return BY_OPTION.get(`${option} ${word}`) ?? BY_WORD.get(word) ?? "unknown";
}
