import type { OptionSpec } from "../../command/option.ts";
import { attendOptions } from "./attend-options.ts";
import { limitOptions } from "./limit-options.ts";
import { trustOption } from "./trust-option.ts";

/** How a command goes on with a run. */
export const goOnOptions = [
  {
    flags: "--timeout <duration>",
    about: "new bound of the running time of the whole run",
    isPersonal: true,
  },
  ...limitOptions,
  trustOption,
  {
    flags: "--accept-config",
    about: "resume with the current configuration, although it differs",
    isPersonal: true,
  },
  ...attendOptions,
] as const satisfies readonly OptionSpec[];
