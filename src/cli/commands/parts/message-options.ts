import type { ArgumentSpec } from "../../command/command.ts";
import type { OptionSpec } from "../../command/option.ts";

/** To whom and what: the operands of a message. */
export const messageOperands: readonly ArgumentSpec[] = [
  { name: "[target]", about: "who gets it: agent, agent@instance, @instance or a run" },
  { name: "[message]", about: "the text, or - for standard input" },
];

/** What a message takes beside its operands. */
export const messageOptions = [
  { flags: "--to <target>", about: "who gets it, instead of the first operand" },
  {
    flags: "--interrupt",
    about: "cut off what the addressees work on; else they get it afterwards",
  },
  { flags: "--key <key>", about: "sent again under the same key, it is posted once" },
] as const satisfies readonly OptionSpec[];

/** What is meant without a target, and what a run as target means. */
export const messageNotes: readonly string[] = [
  "Without a target the only agent alive is meant, else the one that was created",
  "or written to last. An agent gets a direct message; for an instance or a run",
  "the text goes to its main channel, where it wakes whom it mentions (@coder,",
  "@all).",
];
