import { declareCommand } from "../command/command.ts";

/** `troupe daemon` */
export const daemonCommand = declareCommand({
  name: "daemon",
  group: "System",
  authority: "person",
  onlyReads: ({ args: [action = "status"] }) => ["status", "logs"].includes(action),
  summary: "look at, start or stop the process of background runs",
  arguments: [
    {
      name: "[action]",
      about: "what to do, status if not given",
      choices: ["status", "start", "stop", "logs"],
    },
  ],
  options: [
    { flags: "-f, --follow", about: "logs: go on until Ctrl-C" },
    { flags: "-n, --lines <number>", about: "logs: how many of the last lines, 100 if not given" },
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: [
    "It starts when a command needs it, goes on with what it carried out before,",
    "and ends by itself after ten minutes with nothing to do. Its runs have the",
    "environment of the command that handed them over; after a restart that of the",
    "daemon. stop lets go of all runs with their state saved.",
  ],
});
