import { declareCommand } from "../command/command.ts";

/** `troupe templates` */
export const templatesCommand = declareCommand({
  name: "templates",
  group: "Files",
  authority: "reads",
  summary: "list the workflows that come with troupe, or print one",
  arguments: [
    { name: "[action]", about: "show prints the text of one", choices: ["show"] },
    { name: "[template]", about: "name of the template" },
  ],
  options: [
    { flags: "--count <number>", about: "show: how many reviewers or peers" },
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: [
    'Run one as it is: troupe run code-review "the last commit"',
    "Make one your own: troupe init code-review",
    "The workflows of .troupe/workflows are listed too: troupe run ID",
  ],
});
