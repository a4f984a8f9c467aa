import { declareCommand } from "../command/command.ts";

/** `troupe restart` */
export const restartCommand = declareCommand({
  name: "restart",
  group: "Run",
  authority: "person",
  actsOn: "many",
  summary: "let an agent begin anew, on a fresh session",
  arguments: [{ name: "<agent>", about: "an agent, or agent@instance" }],
  options: [{ flags: "--json", about: "print one JSON object" }],
  notes: [
    "What it works on is cut off and comes again, and so does what it has not",
    "read. It remembers nothing of before but what it had done in this turn; its",
    "files stay. All others go on.",
  ],
});
