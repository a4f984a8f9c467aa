import type { CliCommand } from "../command.ts";

/** `troupe import` */
export const importCommand: CliCommand = {
  name: "import",
  group: "Share",
  summary: "take in a run that export has written",
  arguments: [{ name: "<path>", about: "the file, or - for standard input" }],
  options: [{ flags: "--json", about: "print one JSON object" }],
  notes: [
    "The run keeps its id and its events. A file that is not exactly what export",
    "wrote is refused. Resuming an imported run executes the commands of its",
    "workflow: import only what you would run.",
  ],
  load: async () => (await import("../actions/import.ts")).importAction,
};
