import { declareCommand } from "../command/command.ts";
import { fromOption } from "./parts/run-input.ts";

/** `troupe validate` */
export const validateCommand = declareCommand({
  name: "validate",
  group: "Files",
  authority: "reads",
  summary: "check workflow files without running them",
  arguments: [
    { name: "<files...>", about: "workflow files, names of templates, or - for standard input" },
  ],
  options: [
    {
      flags: "--format <format>",
      about: "how problems are printed",
      choices: ["text", "json", "github", "sarif"],
    },
    fromOption,
    { flags: "--strict", about: "warnings count as errors" },
    { flags: "--json", about: "the same as --format json" },
  ],
});
