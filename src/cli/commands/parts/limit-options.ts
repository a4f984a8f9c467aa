import type { OptionSpec } from "../../command/option.ts";

/** What the whole run may consume; each beats the workflow's own limit. */
export const limitOptions = [
  {
    flags: "--max-cost <usd>",
    about: "most that the run may cost, such as 2.50",
    isPersonal: true,
  },
  {
    flags: "--max-tokens <number>",
    about: "most tokens that its agents may use",
    isPersonal: true,
  },
  { flags: "--max-turns <number>", about: "most turns that its agents may take", isPersonal: true },
  {
    flags: "--max-messages <number>",
    about: "most messages that its agents may post",
    isPersonal: true,
  },
  { flags: "--max-agents <number>", about: "most agents that may be spawned", isPersonal: true },
  {
    flags: "--max-handoffs <number>",
    about: "most times that its agents may hand a task over",
    isPersonal: true,
  },
  {
    flags: "--max-failures <number>",
    about: "most turns of one agent or task that may fail in a row, default 5",
    isPersonal: true,
  },
  {
    flags: "--max-time <duration>",
    about: "like --timeout, with a warning before: 2h",
    isPersonal: true,
  },
] as const satisfies readonly OptionSpec[];
