import { declareCommand } from "../command/command.ts";

/** `troupe config` */
export const configCommand = declareCommand({
  name: "config",
  group: "System",
  authority: "reads",
  summary: "show the configuration, and where each value comes from",
  arguments: [{ name: "[file]", about: "workflow file whose values are shown too" }],
  options: [
    { flags: "--backend <name>", about: "as run takes it, with a file" },
    { flags: "--trust", about: "as if the project were trusted" },
    { flags: "--paths", about: "list the files and directories that troupe uses" },
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: [
    "A flag wins over the workflow file, that over .troupe/config.yaml of the",
    "project, that over config.yaml of the user, that over the default.",
  ],
});
