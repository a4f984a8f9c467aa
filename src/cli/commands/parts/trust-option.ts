import type { OptionSpec } from "../../command/option.ts";

/** How a project is trusted for one command. */
export const trustOption = {
  flags: "--trust",
  about: "take all of the project's configuration this once",
  isPersonal: true,
} as const satisfies OptionSpec;
