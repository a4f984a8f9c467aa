import type { OptionSpec } from "../../command/command.ts";

/** How a project is trusted for one command. */
export const trustOption: OptionSpec = {
  flags: "--trust",
  about: "take all of the project's configuration this once",
  isPersonal: true,
};
