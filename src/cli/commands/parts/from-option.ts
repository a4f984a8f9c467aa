import type { OptionSpec } from "../../command/option.ts";

/** How a file is read that was written for another tool and does not show it. */
export const fromOption = {
  flags: "--from <tool>",
  about: "the tool that it was written for; else its keys say it",
  choices: ["agent-worker", "relay"],
} as const satisfies OptionSpec;
