import type { CliCommand } from "../command.ts";

/** `troupe run` */
export const runCommand: CliCommand = {
  name: "run",
  group: "Run",
  summary: "run a workflow file",
  arguments: [
    { name: "<file>", about: "workflow file, or - for standard input" },
    { name: "[task]", about: "what the agents are to do" },
  ],
  options: [
    { flags: "--task-file <path>", about: "read the task from a file, or - for standard input" },
    { flags: "-i <key=value>", about: "one param of the workflow, repeatable", isRepeatable: true },
    { flags: "--input <path>", about: "JSON object with params; -i wins over it" },
    { flags: "--instance <name>", about: "name of this instance, default if not given" },
    {
      flags: "--backend <name>",
      about: "stands in for all agents that name none, a model or a CLI",
    },
    {
      flags: "--cassette <path>",
      about: "turns for scripted agents; alone it means --backend script",
    },
    {
      flags: "--approve <mode>",
      about: "who decides approvals: ask people, all are approved, none is",
      choices: ["ask", "all", "none"],
    },
    { flags: "--timeout <duration>", about: "longest running time, such as 30m" },
    { flags: "--max-concurrency <number>", about: "most steps at the same time" },
    { flags: "--exclusive", about: "refuse to start where another run works already" },
    {
      flags: "--progress <form>",
      about: "how progress is shown",
      choices: ["auto", "plain", "json", "none"],
    },
    { flags: "--json", about: "print events as JSON lines; --json=all adds operations" },
    { flags: "--json-all", about: "the same as --json=all", isHidden: true },
  ],
  notes: [
    "Exit codes: 0 completed, 1 failed, rejected or cancelled, 2 usage or invalid",
    "file, 3 waits for a person, 4 backend missing, 5 limit reached, 6 owned by",
    "another process, 70 internal error, 130 or 143 interrupted.",
  ],
  load: async () => (await import("../actions/run.ts")).runAction,
};
