import { declareCommand } from "../command/command.ts";
import { fromOption } from "./parts/run-input.ts";

/** `troupe convert` */
export const convertCommand = declareCommand({
  name: "convert",
  group: "Files",
  authority: "reads",
  summary: "rewrite a workflow file in another format, or one of another tool",
  arguments: [{ name: "<file>", about: "the file or TypeScript module, or - for standard input" }],
  options: [
    {
      flags: "--to <format>",
      about: "write the same workflow in this format",
      choices: ["yaml", "json", "ts"],
    },
    fromOption,
    { flags: "-o, --output <path>", about: "write to a file instead of standard output" },
    { flags: "--json", about: "print one document with the new file and all problems" },
  ],
  notes: [
    "With --to only comments are lost, and both ways lead back. A module is run;",
    "its default export, or the one named workflow, is what workflow(...) of the",
    "library gives.",
    "Without --to the file is one of another tool, and becomes YAML for troupe.",
    "What cannot be carried over is told on standard error and stands in comments of",
    "the new file, which is invalid, and the exit code 2, until those marked MISSING",
    "are dealt with by hand.",
    "run, start and validate also take such a file as it is, if its keys tell it.",
  ],
});
