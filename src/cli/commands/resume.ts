import type { CliCommand } from "../command.ts";
import { limitOptions } from "./parts/limit-options.ts";

/** `troupe resume` */
export const resumeCommand: CliCommand = {
  name: "resume",
  group: "Run",
  summary: "go on with a run that was interrupted, paused or waits",
  arguments: [{ name: "<run>", about: "a run: its id, @last, @failed, @instance, an agent" }],
  options: [
    {
      flags: "--approve <mode>",
      about: "who decides approvals: ask people, all are approved, none is",
      choices: ["ask", "all", "none"],
    },
    { flags: "--timeout <duration>", about: "new bound of the running time of the whole run" },
    ...limitOptions,
    { flags: "--unsandboxed", about: "start agents with isolation: sandbox without it" },
    { flags: "--trust", about: "take all of the project's configuration this once" },
    {
      flags: "--progress <form>",
      about: "how progress is shown",
      choices: ["auto", "tty", "plain", "json", "none"],
    },
    { flags: "--detach", about: "in the daemon, so that it survives this terminal" },
    { flags: "--explain", about: "say what would be kept and what attempted again; do nothing" },
    { flags: "--report <path>", about: "at the end, write the run into one HTML file" },
    { flags: "--record <path>", about: "write what the agents do into a cassette" },
    { flags: "--json", about: "print events as JSON lines; --json=all adds operations" },
    { flags: "--json-all", about: "the same as --json=all", isHidden: true },
  ],
  notes: [
    "A run that is over is not repeated: its result is printed, and its exit code",
    "is that of this command.",
  ],
  printsEvents: { unless: ["explain", "detach"] },
  load: async () => (await import("../actions/resume.ts")).resumeAction,
};
