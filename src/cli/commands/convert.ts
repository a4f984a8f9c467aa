import type { CliCommand } from "../command.ts";

/** `troupe convert` */
export const convertCommand: CliCommand = {
  name: "convert",
  group: "Files",
  summary: "rewrite a workflow file of another tool as one of troupe",
  arguments: [{ name: "<file>", about: "the file, or - for standard input" }],
  options: [
    {
      flags: "--from <tool>",
      about: "the tool that it was written for; else its keys say it",
      choices: ["agent-worker"],
    },
    { flags: "-o, --output <path>", about: "write to a file instead of standard output" },
    { flags: "--json", about: "print one document with the new file and all problems" },
  ],
  notes: [
    "What cannot be carried over is told on standard error and stands in comments of",
    "the new file, which is invalid, and the exit code 2, until those marked MISSING",
    "are dealt with by hand.",
    "run, start and validate also take such a file as it is, if its keys tell it.",
  ],
  load: async () => (await import("../actions/convert.ts")).convertAction,
};
