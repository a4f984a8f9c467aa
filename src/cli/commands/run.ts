import type { CliCommand } from "../command.ts";
import { runInputOptions, runOperands } from "./parts/run-input.ts";

/** `troupe run` */
export const runCommand: CliCommand = {
  name: "run",
  group: "Run",
  summary: "run a workflow file or a template",
  arguments: runOperands,
  options: [
    ...runInputOptions,
    { flags: "--dry-run", about: "show what would be done, as troupe plan does, and do nothing" },
    {
      flags: "--approve <mode>",
      about: "who decides approvals: ask people, all are approved, none is",
      choices: ["ask", "all", "none"],
    },
    { flags: "--report <path>", about: "at the end, write the run into one HTML file" },
    { flags: "--record <path>", about: "write what the agents do into a cassette" },
    { flags: "--detach", about: "in the daemon, so that it survives this terminal" },
    { flags: "--unsandboxed", about: "start agents with isolation: sandbox without it" },
    { flags: "--exclusive", about: "refuse to start where another run works already" },
    {
      flags: "--progress <form>",
      about: "how progress is shown",
      choices: ["auto", "tty", "plain", "json", "none"],
    },
    { flags: "--json", about: "print events as JSON lines; --json=all adds operations" },
    { flags: "--json-all", about: "the same as --json=all", isHidden: true },
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
  load: async () => (await import("../actions/run.ts")).runAction,
};
