import { declareCommand } from "../command/command.ts";

/** `troupe cancel` */
export const cancelCommand = declareCommand({
  name: "cancel",
  group: "Run",
  authority: "person",
  actsOn: "run",
  summary: "end a run as cancelled",
  arguments: [
    { name: "[run]", about: "id of a run, its beginning, @last or @failed; @last if not given" },
  ],
  options: [{ flags: "-m, --message <reason>", about: "why, for the journal" }],
});
