import type { CliCommand } from "../command.ts";

/** `troupe resume` */
export const resumeCommand: CliCommand = {
  name: "resume",
  group: "Run",
  summary: "go on with a run that was interrupted, paused or waits",
  arguments: [{ name: "<run>", about: "id of a run, its beginning, @last or @failed" }],
  options: [
    {
      flags: "--approve <mode>",
      about: "who decides approvals: ask people, all are approved, none is",
      choices: ["ask", "all", "none"],
    },
    { flags: "--timeout <duration>", about: "new bound of the running time of the whole run" },
    {
      flags: "--progress <form>",
      about: "how progress is shown",
      choices: ["auto", "plain", "json", "none"],
    },
    { flags: "--json", about: "print events as JSON lines; --json=all adds operations" },
    { flags: "--json-all", about: "the same as --json=all", isHidden: true },
  ],
  notes: [
    "A run that is over is not repeated: its result is printed, and its exit code",
    "is that of this command.",
  ],
  load: async () => (await import("../actions/resume.ts")).resumeAction,
};
