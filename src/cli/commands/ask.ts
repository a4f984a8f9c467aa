import { declareCommand } from "../command/command.ts";
import { messageNotes, messageOperands, messageOptions } from "./parts/message-options.ts";

/** `troupe ask` */
export const askCommand = declareCommand({
  name: "ask",
  group: "Agents",
  authority: "person",
  actsOn: "addressee",
  summary: "send a message and print the answer",
  arguments: messageOperands,
  options: [
    ...messageOptions,
    { flags: "--timeout <duration>", about: "longest time to wait, such as 5m" },
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: [
    ...messageNotes,
    "",
    "The answer is what the agent says at the end of the turn that took the message;",
    "if that is nothing, what it posted in it. Exit code 1: the turn failed; 5: no",
    "answer in time.",
  ],
});
