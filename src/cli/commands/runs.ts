import type { CliCommand } from "../command/command.ts";

/** `troupe runs` */
export const runsCommand: CliCommand = {
  name: "runs",
  group: "Look",
  authority: "reads",
  summary: "list runs",
  options: [
    { flags: "--status <state>", about: "only runs in this state, repeatable", isRepeatable: true },
    { flags: "--workflow <name>", about: "only runs of this workflow, or of name@instance" },
    { flags: "--limit <number>", about: "at most this many, the newest" },
    { flags: "--json", about: "print one JSON object" },
  ],
  load: async () => (await import("../actions/runs.ts")).runsAction,
};
