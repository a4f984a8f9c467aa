import type { CliCommand } from "../command.ts";

/** `troupe explain` */
export const explainCommand: CliCommand = {
  name: "explain",
  group: "Files",
  summary: "explain an error code",
  arguments: [{ name: "<code>", about: "the code in brackets, such as WORKFLOW_CYCLE" }],
  options: [{ flags: "--json", about: "print one JSON object" }],
  load: async () => (await import("../actions/explain.ts")).explainAction,
};
