import { declareCommand } from "../command/command.ts";

/** `troupe explain` */
export const explainCommand = declareCommand({
  name: "explain",
  group: "Files",
  authority: "reads",
  summary: "explain an error code or a key of workflow files",
  arguments: [
    {
      name: "<code>",
      about: "code such as WORKFLOW_CYCLE, or key such as steps.maxRetries",
    },
  ],
  options: [{ flags: "--json", about: "print one JSON object" }],
});
