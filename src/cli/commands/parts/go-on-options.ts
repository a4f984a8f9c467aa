import type { OptionSpec } from "../../command/option.ts";
import { attendOptions } from "./attend-options.ts";
import { limitOptions } from "./limit-options.ts";
import { trustOption } from "./trust-option.ts";

/** How a person resumes a run whose configuration has changed since it began. */
export const acceptConfigOption = {
  flags: "--accept-config",
  about: "resume with the current configuration, although it differs",
  isPersonal: true,
} as const satisfies OptionSpec;

/** How a command goes on with a run. */
export const goOnOptions = [
  {
    flags: "--timeout <duration>",
    about: "new bound of the running time of the whole run",
    isPersonal: true,
  },
  ...limitOptions,
  trustOption,
  acceptConfigOption,
  ...attendOptions,
] as const satisfies readonly OptionSpec[];
