import { defineError } from "../../foundation/errors.ts";

export const chatCommandInvalid = defineError("CHAT_COMMAND_INVALID", {
  message: (details: { where: string; problem: string; hint?: string }) =>
    `${details.where}: ${details.problem}`,
  hint: (details) => details.hint,
  about:
    "A command of a chat is a Markdown file of .troupe/commands or .claude/commands. It may begin with a line of three dashes, YAML with description, argument-hint, model and allowed-tools, and another such line; what follows is said to the agent. It has at most 256 KiB.",
});

export const chatCommandUntrusted = defineError("CHAT_COMMAND_UNTRUSTED", {
  message: (details: { name: string; file: string }) =>
    `/${details.name} of ${details.file} cannot be used: this project is not trusted, or the file has changed since`,
  hint: ({ file }) => `read ${file}, then: troupe trust; or once: troupe chat --trust`,
  about:
    "Commands of a project are found without being named before, so they are said to agents only in a project that was trusted with the content that they have now.",
});

export const chatCommandArguments = defineError("CHAT_COMMAND_ARGUMENTS", {
  message: (details: { name: string }) => `a quote in what /${details.name} was given has no end`,
  hint: () => "close it, or write \\' and \\\" for quotes that are meant as they are",
  about:
    "A command of a chat that takes $1, $2 and so on is given words as a shell reads them; one that takes $ARGUMENTS is given the text as it is.",
});
