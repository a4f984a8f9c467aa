import { declareCommand } from "../command/command.ts";
import { fromOption } from "./parts/run-input.ts";
import { targetNotes } from "./parts/target-notes.ts";

/** `troupe graph` */
export const graphCommand = declareCommand({
  name: "graph",
  group: "Files",
  authority: "reads",
  summary: "draw a workflow, or a run with what each step came to",
  arguments: [
    {
      name: "[file-or-run]",
      about: "workflow file, template or -; or a run: its id, @last; @last if not given",
    },
  ],
  options: [
    {
      flags: "--format <format>",
      about: "how it is drawn; else by the ending of --output",
      choices: ["ascii", "mermaid", "svg", "dot", "json"],
    },
    { flags: "-o, --output <path>", about: "write to a file instead of standard output" },
    {
      flags: "--backend <name>",
      about: "stands in for all agents that name none, a model or a CLI",
    },
    fromOption,
    { flags: "--json", about: "the same as --format json" },
  ],
  notes: targetNotes,
});
