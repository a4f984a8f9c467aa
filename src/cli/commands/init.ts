import { declareCommand } from "../command/command.ts";

/** `troupe init` */
export const initCommand = declareCommand({
  name: "init",
  group: "Start",
  authority: "reads",
  summary: "write a first workflow that runs here, or a template",
  arguments: [{ name: "[template]", about: "name of a template, as troupe templates lists them" }],
  options: [
    { flags: "--name <name>", about: "name of the workflow, which names its file too" },
    { flags: "--count <number>", about: "how many reviewers or peers, in a template that asks" },
    { flags: "--vscode", about: "tell VS Code which schema checks workflow files" },
    { flags: "--force", about: "replace files that are there already" },
  ],
  notes: [
    "On a terminal it asks for what is not given; -y takes the defaults. It writes",
    "workflows/NAME.yaml, .troupe/schema and, in a git repository, .gitignore lines.",
  ],
});
