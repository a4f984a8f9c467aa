import { declareCommand } from "../command/command.ts";

/** `troupe import` */
export const importCommand = declareCommand({
  name: "import",
  group: "Share",
  authority: "person",
  summary: "take in a run that export has written, or one that came with the project",
  arguments: [{ name: "<path-or-run>", about: "the file, - for standard input, or a run's id" }],
  options: [{ flags: "--json", about: "print one JSON object" }],
  notes: [
    "The run keeps its id and its events. A file that is not exactly what export",
    "wrote is refused. Going on with a run executes the commands of its workflow:",
    "so one that you have not made here (cloned, copied, imported, or older than",
    "this rule) can only be looked at until `troupe import RUN` has told you what",
    "it would run and you agree. Without a terminal that takes --yes.",
  ],
});
