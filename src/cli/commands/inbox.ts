import { declareCommand } from "../command/command.ts";

/** `troupe inbox` */
export const inboxCommand = declareCommand({
  name: "inbox",
  group: "People",
  authority: "reads",
  summary: "list what waits for a person, or show one thing whole",
  arguments: [
    { name: "[id]", about: "id of what waits, or its beginning: all that is to be decided" },
  ],
  options: [
    { flags: "--limit <number>", about: "at most this many things, the oldest" },
    { flags: "--json", about: "print one JSON object" },
  ],
});
