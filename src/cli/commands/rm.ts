import { declareCommand } from "../command/command.ts";

/** `troupe rm` */
export const rmCommand = declareCommand({
  name: "rm",
  group: "Run",
  authority: "person",
  summary: "end a standalone agent",
  arguments: [{ name: "<target>", about: "name of an agent that troupe new has made" }],
  options: [
    { flags: "--force", about: "cut off the turn that is under way instead of letting it end" },
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: ["Its run stays in the list of runs, with all that was said: troupe runs."],
});
