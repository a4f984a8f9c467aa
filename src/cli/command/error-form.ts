import type { ErrorForm } from "../terminal/settings.ts";
import type { CliCommand } from "./command.ts";
import { toFlag } from "./option.ts";

type Options = { readonly [name: string]: unknown };

const JSON_FLAGS: readonly string[] = ["--json", "--json=all", "--json-all"];

/** How a command that was called tells its errors: as JSON if that is what it prints. */
export function errorFormOf({ printsEvents }: CliCommand, options: Options): ErrorForm {
  const { json, jsonAll, progress } = options;
  const isStream = printsEvents?.unless.every((option) => !isGiven(options, option)) ?? false;
  if (json !== true && jsonAll !== true && !(isStream && progress === "json")) return "text";
  return isStream ? "lines" : "document";
}

/** What `--no-x` says is found under `x`. */
function isGiven(options: Options, option: string): boolean {
  const [, negated] = /^no([A-Z].*)$/.exec(option) ?? [];
  if (negated === undefined) return options[option] === true;
  return options[negated.charAt(0).toLowerCase() + negated.slice(1)] === false;
}

/** The same for a command line that cannot be read: by the flag and the first name of a command in it. */
export function errorFormOfUnread(
  args: readonly string[],
  commands: readonly CliCommand[],
): ErrorForm {
  const end = args.indexOf("--");
  const read = end < 0 ? args : args.slice(0, end);
  if (!read.some((arg) => JSON_FLAGS.includes(arg))) return "text";
  const called = firstCommand(read, commands);
  const isStream = called?.printsEvents?.unless.every((option) => !read.includes(toFlag(option)));
  return isStream ? "lines" : "document";
}

/** The first word of a command line that names a command: the command it calls, unless it is an option's value. */
export function firstCommand(
  args: readonly string[],
  commands: readonly CliCommand[],
): CliCommand | undefined {
  return args
    .map((arg) => commands.find(({ name, aliases = [] }) => [name, ...aliases].includes(arg)))
    .find((command) => command !== undefined);
}
