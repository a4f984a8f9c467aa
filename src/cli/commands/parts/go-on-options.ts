import type { OptionSpec } from "../../command.ts";
import { limitOptions } from "./limit-options.ts";

/** How a command goes on with a run. */
export const goOnOptions: readonly OptionSpec[] = [
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
  { flags: "--report <path>", about: "at the end, write the run into one HTML file" },
  { flags: "--record <path>", about: "write what the agents do into a cassette" },
  { flags: "--json", about: "print events as JSON lines; --json=all adds operations" },
  { flags: "--json-all", about: "the same as --json=all", isHidden: true },
];
