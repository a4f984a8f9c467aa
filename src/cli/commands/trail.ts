import { declareCommand } from "../command/command.ts";

/** `troupe trail` */
export const trailCommand = declareCommand({
  name: "trail",
  group: "Look",
  authority: "reads",
  summary: "list, show, search and export trajectories: the stories that runs leave",
  arguments: [
    {
      name: "[action]",
      about: "list, if not given, show or export one, or search all",
      choices: ["list", "show", "search", "export"],
    },
    { name: "[what...]", about: "show, export: an id or a run; search: words that all occur" },
  ],
  options: [
    { flags: "--dir <path>", about: "trajectories of this directory, which other tools wrote" },
    {
      flags: "--status <state>",
      about: "list: only these",
      choices: ["active", "completed", "abandoned"],
    },
    { flags: "--limit <number>", about: "list, search: at most this many" },
    { flags: "--decisions", about: "show: what was decided, and nothing else" },
    {
      flags: "--format <format>",
      about: "export: how it is written; md if not given",
      choices: ["md", "json", "timeline"],
    },
    { flags: "-o, --output <path>", about: "export: where it is written; else it is printed" },
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: [
    "A run whose workflow says trajectory: {enabled: true} leaves one when it ends,",
    "in .agentworkforce/trajectories. Any run can be shown and exported: it is told",
    "from its journal. Known secrets are always masked.",
  ],
});
