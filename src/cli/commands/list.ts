import { declareCommand } from "../command/command.ts";

/** `troupe list` */
export const listCommand = declareCommand({
  name: "list",
  aliases: ["ls"],
  group: "Agents",
  authority: "reads",
  summary: "list agents with the runs they belong to",
  options: [
    { flags: "-a, --all", about: "also agents of runs that are over or have been quiet for a day" },
    { flags: "--all-projects", about: "of all projects in which troupe works in the background" },
    { flags: "--limit <number>", about: "those of at most this many runs, the newest" },
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: ["With --quiet it prints their names alone, as send and peek take them."],
});
