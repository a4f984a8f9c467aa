import type { CliCommand } from "../command.ts";

/** `troupe list` */
export const listCommand: CliCommand = {
  name: "list",
  aliases: ["ls"],
  group: "Look",
  summary: "list agents with the runs they belong to",
  options: [
    { flags: "-a, --all", about: "also agents of runs that are over" },
    { flags: "--json", about: "print one JSON object" },
  ],
  load: async () => (await import("../actions/list.ts")).listAction,
};
