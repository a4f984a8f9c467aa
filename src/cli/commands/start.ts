import { declareCommand } from "../command/command.ts";
import { progressOption } from "./parts/attend-options.ts";
import { limitOptions } from "./parts/limit-options.ts";
import { fromOption, workflowOptions } from "./parts/run-input.ts";
import { trustOption } from "./parts/trust-option.ts";

/** `troupe start` */
export const startCommand = declareCommand({
  name: "start",
  group: "Run",
  authority: "person",
  summary: "keep a kickoff workflow going until it is stopped",
  arguments: [{ name: "<file>", about: "workflow file, or - for standard input" }],
  options: [
    {
      flags: "--background",
      about: "in the daemon, so that it survives this terminal",
      isPersonal: true,
    },
    ...workflowOptions,
    {
      flags: "--timeout <duration>",
      about: "longest running time, such as 8h; none if not given",
      isPersonal: true,
    },
    ...limitOptions,
    fromOption,
    trustOption,
    progressOption,
    {
      flags: "--json",
      about: "print events as JSON lines, with --background one JSON object",
    },
    { flags: "--json-all", about: "the same as --json=all", isHidden: true },
  ],
  notes: [
    "Its agents go on being woken by messages (troupe send) and by each other.",
    "troupe stop @INSTANCE ends it as completed; Ctrl-C only lets go of it.",
    "A workflow that a pattern leads ends by itself: troupe run FILE --detach.",
  ],
  printsEvents: { unless: ["background"] },
});
