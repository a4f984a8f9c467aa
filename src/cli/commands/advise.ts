import { declareCommand } from "../command/command.ts";

/** `troupe advise` */
export const adviseCommand = declareCommand({
  name: "advise",
  group: "Files",
  authority: "reads",
  summary: "propose how agents may work together on a goal, and why",
  arguments: [{ name: "<goal>", about: "what is to be done, in quotes" }],
  options: [
    { flags: "--agents <number>", about: "how many agents there are to be, 1 to 64" },
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: [
    "Rules decide by the words of the goal; no model is asked and nothing is run.",
    "",
    "Exit codes: 0 something is proposed, 1 one agent is all there is to it, 2 usage.",
  ],
});
