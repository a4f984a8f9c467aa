import { declareCommand } from "../command/command.ts";

/** `troupe pause` */
export const pauseCommand = declareCommand({
  name: "pause",
  group: "Run",
  authority: "person",
  actsOn: "run",
  summary: "let a run stop where it is; resume goes on",
  arguments: [
    { name: "[run]", about: "id of a run, its beginning, @last or @failed; @last if not given" },
  ],
});
