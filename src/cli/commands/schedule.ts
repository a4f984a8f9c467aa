import { declareCommand } from "../command/command.ts";
import { scheduleInputOptions } from "./parts/run-input.ts";

/** `troupe schedule` */
export const scheduleCommand = declareCommand({
  name: "schedule",
  group: "Run",
  authority: "person",
  onlyReads: ({ args: [action] }) => action === "list" || action === "show",
  summary: "run a workflow again and again, at its times",
  arguments: [
    {
      name: "<file-or-action>",
      about: "workflow file or template; or list, show, pause, resume, remove",
    },
    { name: "[name-or-task]", about: "the name of a schedule; with a file, the task of its runs" },
  ],
  options: [
    { flags: "--every <duration>", about: "how long from one start to the next: 30m, 1d" },
    { flags: "--cron <pattern>", about: 'minute hour day month weekday: "0 3 * * 1-5"' },
    { flags: "--time-zone <zone>", about: "of the pattern, such as Europe/Berlin; else of here" },
    { flags: "--name <name>", about: "what it is called; the name of the file if not given" },
    ...scheduleInputOptions,
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: [
    "The daemon starts the runs, with its own environment; it starts now, and after a",
    "restart of the machine if doctor --at-login has set that up. While a run is not",
    "over, the next is skipped. Of the times that the machine slept through, the last",
    "is made up for. When the file or what the project trusts has changed, nothing is",
    "started until: troupe schedule resume NAME. remove leaves a run that goes on.",
  ],
});
