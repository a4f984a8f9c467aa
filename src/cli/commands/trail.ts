import { declareCommand } from "../command/command.ts";

/** `troupe trail` */
export const trailCommand = declareCommand({
  name: "trail",
  group: "Look",
  authority: "own-run",
  summary: "list, show, search and export trajectories: the stories that runs leave; add to them",
  arguments: [
    {
      name: "[action]",
      about:
        "list, if not given, show or export one, or search all; add a decision, finding or reflection",
      choices: ["list", "show", "search", "export", "decision", "finding", "reflect"],
    },
    {
      name: "[what...]",
      about:
        "show, export: an id or a run; search: words that all occur; to add: a text, - for standard input",
    },
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
      about: "export: format of the text; md, which is markdown, if not given",
      choices: ["md", "markdown", "json", "timeline"],
    },
    { flags: "-o, --output <path>", about: "export: where it is written; else it is printed" },
    {
      flags: "--run <run>",
      about: "decision, finding, reflect: add to this run; the newest if not given",
    },
    { flags: "--question <text>", about: "decision: what was to decide" },
    { flags: "-r, --reasoning <text>", about: "decision: why" },
    { flags: "-a, --alternatives <items>", about: "decision: what was not chosen, commas between" },
    { flags: "-c, --confidence <share>", about: "decision, reflect: how sure you are, 0 to 1" },
    { flags: "-f, --focal-points <items>", about: "reflect: what was asked of the work" },
    { flags: "--adjustments <text>", about: "reflect: what changes because of it" },
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: [
    "A run whose workflow says trajectory: {enabled: true} has one, and leaves it",
    "in .agentworkforce/trajectories. Any run can be shown and exported: it is told",
    "from its journal. Known secrets are always masked.",
    "",
    "decision, finding and reflect add to the story of a run until its end: of the",
    "newest, or that of --run. Below an agent they add to its own run, in its name.",
    "",
    'troupe trail decision "SQLite" --reasoning "one file per run" --run pr-123',
  ],
});
