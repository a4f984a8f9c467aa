import type { Authority } from "../../app/authority/authority.ts";
import type { Io } from "../terminal/io.ts";
import type { Settings } from "../terminal/settings.ts";
import type { FlagName, OptionSpec, OptionValues } from "./option.ts";

/** One argument, such as `<run>`, `[task]` or `<files...>`. */
export interface ArgumentSpec {
  readonly name: string;
  readonly about: string;
  /** The only values it takes. */
  readonly choices?: readonly string[];
}

/** What was typed: operands in order, options of the command by name, and what the global ones come to. */
export interface Invocation<Options = { readonly [name: string]: unknown }> {
  readonly args: readonly string[];
  /** The operands that stood after `--`; they are the end of `args`. */
  readonly rest: readonly string[];
  readonly options: Options;
  readonly settings: Settings;
  readonly io: Io;
  /** All commands that there are, for those that tell of others. */
  readonly commands: () => Promise<readonly CliCommand[]>;
}

/** Does what a command is for; resolves with the exit code. Its errors are shown by the caller. */
export type Action<Options = Invocation["options"]> = {
  // As a method: an action of declared options is one among all actions.
  act(invocation: Invocation<Options>): Promise<number>;
}["act"];

/**
 * How the operands name what is acted on. `run`: the first names a run. `agent`: a run, or an agent of it. `many`: the
 * first, or `--all`. `addressee`: whoever gets a message. `item`: something that waits for a person.
 */
export type ActsOn = "run" | "agent" | "many" | "addressee" | "item";

/** What is known of a command before it is called: all that help, completion and the parser need. */
export interface CommandDeclaration<Specs extends readonly OptionSpec[] = readonly OptionSpec[]> {
  readonly name: string;
  /** Other names. */
  readonly aliases?: readonly string[];
  readonly group: "Start" | "Run" | "Agents" | "Look" | "People" | "Files" | "Share" | "System";
  readonly summary: string;
  /** Who may call it. */
  readonly authority: Authority;
  /** Whether this call of a person's command only reads. */
  onlyReads?(called: Pick<Invocation<OptionValues<Specs>>, "args" | "options">): boolean;
  /** What a person's command is given to act on; absent: it concerns more than single runs. */
  readonly actsOn?: ActsOn;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: Specs;
  /** With `--json` it prints one event per line, unless one of these flags makes it print one document. */
  readonly printsEvents?: { readonly unless: readonly FlagName<Specs>[] };
  /** Lines after the options in its help. */
  readonly notes?: readonly string[];
}

/** The options that the action of a declared command gets. */
export type OptionsOf<Declaration> =
  Declaration extends CommandDeclaration<infer Specs> ? OptionValues<Specs> : never;

/** The action of a declared command. */
export type ActionOf<Declaration> = Action<OptionsOf<Declaration>>;

/** A command: its declaration, and what it does, loaded when it is called. */
export interface CliCommand extends CommandDeclaration {
  load(): Promise<Action>;
}

/** Declares a command; what its action gets follows from the flags of its options. */
export function declareCommand<const Specs extends readonly OptionSpec[] = readonly []>(
  declaration: CommandDeclaration<Specs>,
): CommandDeclaration<Specs> {
  return declaration;
}
