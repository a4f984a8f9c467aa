import { declareCommand } from "../command/command.ts";

/** `troupe gc` */
export const gcCommand = declareCommand({
  name: "gc",
  group: "System",
  authority: "person",
  onlyReads: ({ options }) => options.dryRun,
  summary: "remove runs that are over, and what dead processes left",
  arguments: [{ name: "[run...]", about: "only these runs: ids or their beginnings" }],
  options: [
    { flags: "--older-than <duration>", about: "runs that ended before that; 30d if not given" },
    { flags: "--keep <number>", about: "all but this many of the newest, whatever their age" },
    { flags: "--dry-run", about: "say what would go, and remove nothing" },
    { flags: "--force", about: "named runs also if they are suspended, wait or are damaged" },
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: [
    "A run goes with its logs and reports and cannot be brought back: export it",
    "before. With --keep and --older-than a run goes when both say so. A run that a",
    "process carries out is never removed. Asks before it removes a run; -y agrees.",
  ],
});
