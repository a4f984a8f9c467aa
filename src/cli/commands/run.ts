import { declareCommand } from "../command/command.ts";
import { attendOptions } from "./parts/attend-options.ts";
import { runInputOptions, runOperands } from "./parts/run-input.ts";

/** `troupe run` */
export const runCommand = declareCommand({
  name: "run",
  group: "Run",
  authority: "own-run",
  onlyReads: ({ options }) => options.dryRun,
  summary: "run a workflow file or a template",
  arguments: runOperands,
  options: [
    ...runInputOptions,
    { flags: "--dry-run", about: "show what would be done, as troupe plan does, and do nothing" },
    { flags: "--exclusive", about: "refuse to start where another run works already" },
    ...attendOptions,
  ],
  notes: [
    'One agent, without a file: troupe run --agent claude "fix the tests", and',
    "troupe run --agent command -- npm test",
    "",
    "Exit codes: 0 completed, 1 failed, rejected or cancelled, 2 usage or invalid",
    "file, 3 waits for a person, 4 backend missing, 5 limit reached, 6 owned by",
    "another process, 70 internal error, 130 or 143 interrupted.",
  ],
  printsEvents: { unless: ["dryRun", "detach"] },
});
