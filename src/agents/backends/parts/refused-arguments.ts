import type { AgentSpec } from "../../../contracts/agent.ts";
import { textsOf } from "./agent-program.ts";
import type { BackendSettings } from "./backend-settings.ts";
import { settingsInvalid } from "./errors.ts";

/**
 * What nobody may add to the command line of a program, because it would decide in Troupe's place: permissions,
 * sandbox, configuration, sessions, the ways to talk. One table per program, read as its own parser reads.
 */
export interface RefusedArguments {
  /** Long names in lower case without dashes, in every spelling: `allowed-tools` is `--allowedTools` too. */
  readonly names: readonly string[];
  /** Letters of short forms, alone or joined with others: `-y`, `-dy`, `-y=true`. */
  readonly letters?: string;
  /** Letters whose value may follow at once: what comes after them in the same word is no letter. */
  readonly valueLetters?: string;
  /** Whether the program takes the beginning of a name for the name, but for these names that are whole. */
  readonly abbreviates?: { readonly whole: readonly string[] };
  /** Keys that `-c key=value` and `--config key=value` may set; all others are refused. */
  readonly settableKeys?: readonly string[];
}

/**
 * Refused for every program, whether its table or its present version knows them: they widen what it reaches, and
 * its place is what the workflow says.
 */
const WIDENING: readonly string[] = [
  ...["add-dir", "add-dirs", "add-directory", "additional-directory", "additional-directories"],
  ...["include-directory", "include-directories", "writable-root", "writable-roots"],
];

/** Raises BACKEND_SETTINGS_INVALID for the first argument of an agent or its configuration that is refused. */
export function assertArguments(
  spec: AgentSpec,
  settings: BackendSettings | undefined,
  refused: RefusedArguments,
): void {
  const { command, args = [] } = settings ?? {};
  const words = typeof command === "string" ? [] : (command ?? []);
  const found =
    refusedInCommand(words, refused) ?? refusedIn([...args, ...textsOf(spec, "args")], refused);
  if (found === undefined) return;
  const problem = `\`args\` may not have ${found.text}: Troupe decides that (permissionMode, permissions, tools, session, directories)`;
  throw settingsInvalid({ agent: spec.id, problem });
}

/** An argument that is refused. */
export interface RefusedArgument {
  /** Which of the arguments it is, counted from 0. */
  readonly index: number;
  /** With its value where that is a word of its own. */
  readonly text: string;
}

/** The first of the arguments that is refused. */
export function refusedIn(
  args: readonly string[],
  refused: RefusedArguments,
): RefusedArgument | undefined {
  const index = args.findIndex(
    (arg, at) => isRefused(arg, refused) || isRefusedKey(arg, args[at + 1] ?? "", refused),
  );
  const arg = args[index];
  if (arg === undefined) return undefined;
  const hasValue = isRefusedKey(arg, args[index + 1] ?? "", refused);
  return { index, text: args.slice(index, index + (hasValue ? 2 : 1)).join(" ") };
}

/** The first word of a command that is refused after its program. */
export function refusedInCommand(
  command: readonly string[],
  refused: RefusedArguments,
): RefusedArgument | undefined {
  // It may begin with another program, whose short forms mean something else.
  const index = command.findIndex(
    (word, at) => at > 0 && word.startsWith("--") && word !== "--" && isRefused(word, refused),
  );
  const text = command[index];
  return text === undefined ? undefined : { index, text };
}

function isRefusedKey(arg: string, value: string, refused: RefusedArguments): boolean {
  return /^(-c|--config)$/.test(arg) && !maySet(value, refused);
}

function isRefused(arg: string, refused: RefusedArguments): boolean {
  // It would make operands of what Troupe itself says.
  if (arg === "--") return true;
  if (arg.startsWith("--")) return isRefusedName(arg, refused);
  return arg.startsWith("-") && hasRefusedLetter(arg.slice(1), refused);
}

function isRefusedName(arg: string, refused: RefusedArguments): boolean {
  // `--yolo=true`, `--yolo.x`, `--no-yolo`, `--approvalMode`.
  const [said = ""] = arg.slice(2).split(/[=.]/);
  const name = said
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll("_", "-");
  if (name === "config" && refused.settableKeys !== undefined)
    return arg.includes("=") && !maySet(arg.slice(arg.indexOf("=") + 1), refused);
  if (/^(allow-)?dangerously/.test(name)) return true;
  return isOneOf(name, refused) || (name.startsWith("no-") && isOneOf(name.slice(3), refused));
}

function isOneOf(name: string, { names: own, abbreviates }: RefusedArguments): boolean {
  const names = [...own, ...WIDENING];
  if (names.includes(name)) return true;
  if (abbreviates === undefined || abbreviates.whole.includes(name)) return false;
  return names.some((each) => each.startsWith(name));
}

function hasRefusedLetter(word: string, refused: RefusedArguments): boolean {
  const { letters = "", valueLetters = "", settableKeys } = refused;
  for (const [index, letter] of [...word].entries()) {
    if (letter === "=") return false;
    if (letter === "c" && settableKeys !== undefined) {
      const value = word.slice(index + 1).replace(/^=/, "");
      return value !== "" && !maySet(value, refused);
    }
    if (letters.includes(letter)) return true;
    if (valueLetters.includes(letter)) return false;
  }
  return false;
}

function maySet(setting: string, { settableKeys }: RefusedArguments): boolean {
  const [key = ""] = setting.split("=");
  return settableKeys === undefined || settableKeys.includes(key.trim());
}
