import { declareCommand } from "../command/command.ts";

/** `troupe runs` */
export const runsCommand = declareCommand({
  name: "runs",
  group: "Look",
  authority: "reads",
  summary: "list runs",
  options: [
    { flags: "--status <state>", about: "only runs in this state, repeatable", isRepeatable: true },
    { flags: "--workflow <name>", about: "only runs of this workflow, or of name@instance" },
    { flags: "--search <text>", about: "only runs with this text in task, messages or results" },
    { flags: "--all-projects", about: "of all projects in which troupe works in the background" },
    { flags: "--limit <number>", about: "at most this many, the newest" },
    { flags: "--json", about: "print one JSON object" },
  ],
});
