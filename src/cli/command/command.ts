import type { Authority } from "../../app/authority/authority.ts";
import type { Io } from "../terminal/io.ts";
import type { Settings } from "../terminal/settings.ts";

/** One option as help shows it, such as `-m, --message <text>`. */
export interface OptionSpec {
  readonly flags: string;
  readonly about: string;
  /** The only values it takes. */
  readonly choices?: readonly string[];
  /** May stand several times; its values are collected. */
  readonly isRepeatable?: true;
  /** Left out of help. */
  readonly isHidden?: true;
  /** It is a person's word, whatever the command is: given at all, or with one of these values. */
  readonly isPersonal?: true | readonly string[];
}

/** One argument, such as `<run>`, `[task]` or `<files...>`. */
export interface ArgumentSpec {
  readonly name: string;
  readonly about: string;
  /** The only values it takes. */
  readonly choices?: readonly string[];
}

/** What was typed: operands in order, options of the command by name, and what the global ones come to. */
export interface Invocation {
  readonly args: readonly string[];
  /** The operands that stood after `--`; they are the end of `args`. */
  readonly rest: readonly string[];
  readonly options: { readonly [name: string]: unknown };
  readonly settings: Settings;
  readonly io: Io;
  /** All commands that there are, for those that tell of others. */
  readonly commands: readonly CliCommand[];
}

/** Does what a command is for; resolves with the exit code. Its errors are shown by the caller. */
export type Action = (invocation: Invocation) => Promise<number>;

/**
 * How the operands name what is acted on. `run`: the first names a run. `agent`: a run, or an agent of it. `many`: the
 * first, or `--all`. `addressee`: whoever gets a message. `item`: something that waits for a person.
 */
export type ActsOn = "run" | "agent" | "many" | "addressee" | "item";

/** A command: what help needs at once, and what it does, loaded when it is called. */
export interface CliCommand {
  readonly name: string;
  /** Other names. */
  readonly aliases?: readonly string[];
  readonly group: "Start" | "Run" | "Agents" | "Look" | "People" | "Files" | "Share" | "System";
  readonly summary: string;
  /** Who may call it. */
  readonly authority: Authority;
  /** Whether this call of a person's command only reads. */
  readonly onlyReads?: (called: Pick<Invocation, "args" | "options">) => boolean;
  /** What a person's command is given to act on; absent: it concerns more than single runs. */
  readonly actsOn?: ActsOn;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** With `--json` it prints one event per line, unless one of these options makes it print one document. */
  readonly printsEvents?: { readonly unless: readonly string[] };
  /** Lines after the options in its help. */
  readonly notes?: readonly string[];
  load(): Promise<Action>;
}
