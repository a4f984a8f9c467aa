import type { OptionSpec } from "./option.ts";

/** Options that every command takes, before or after its name. */
export const globalOptions: readonly OptionSpec[] = [
  { flags: "-C, --cwd <directory>", about: "work as if started in this directory" },
  { flags: "-q, --quiet", about: "print only the result" },
  { flags: "-v, --verbose", about: "show the stack trace of an internal error" },
  {
    flags: "--color <when>",
    about: "when to use colours",
    choices: ["auto", "always", "never"],
  },
  { flags: "--no-input", about: "never ask anything in the terminal" },
  { flags: "-y, --yes", about: "take yes for an answer instead of asking for a confirmation" },
];
