import { declareCommand } from "../command/command.ts";
import { messageNotes, messageOperands, messageOptions } from "./parts/message-options.ts";

/** `troupe send` */
export const sendCommand = declareCommand({
  name: "send",
  group: "Agents",
  authority: "person",
  actsOn: "addressee",
  summary: "send a message to an agent or a run",
  arguments: messageOperands,
  options: [
    ...messageOptions,
    { flags: "--channel <name>", about: "this channel of the run instead of the main one" },
    {
      flags: "--wait [duration]",
      about: "until who was addressed has answered; print the answers",
    },
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: [
    ...messageNotes,
    "",
    'troupe send @coder "use SQLite"; troupe send "use SQLite" --to coder@pr-123;',
    "git diff | troupe send --to reviewer -",
  ],
});
