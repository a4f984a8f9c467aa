import { APPROVAL_MODES } from "../../../contracts/run.ts";
import type { OptionSpec } from "../../command/option.ts";

/** How progress is shown, of every command that shows some. */
export const progressOption = {
  flags: "--progress <form>",
  about: "how progress is shown",
  choices: ["auto", "tty", "plain", "json", "none"],
} as const satisfies OptionSpec;

/** How a command stays with a run until it is over or let go. */
export const attendOptions = [
  {
    flags: "--approve <mode>",
    about: "who decides approvals: ask people, all are approved, none is",
    choices: APPROVAL_MODES,
    isPersonal: ["all", "none"],
  },
  {
    flags: "--unsandboxed",
    about: "start agents with isolation: sandbox without it",
    isPersonal: true,
  },
  progressOption,
  {
    flags: "--detach",
    about: "in the daemon, so that it survives this terminal",
    isPersonal: true,
  },
  { flags: "--report <path>", about: "at the end, write the run into one HTML file" },
  { flags: "--record <path>", about: "write what the agents do into a cassette" },
  { flags: "--json", about: "print events as JSON lines; --json=all adds operations" },
  { flags: "--json-all", about: "the same as --json=all", isHidden: true },
] as const satisfies readonly OptionSpec[];
