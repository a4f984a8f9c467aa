import { declareCommand } from "../command/command.ts";
import { goOnOptions } from "./parts/go-on-options.ts";

/** `troupe rerun` */
export const rerunCommand = declareCommand({
  name: "rerun",
  group: "Run",
  authority: "person",
  onlyReads: ({ options }) => options.explain,
  actsOn: "run",
  summary: "a new run of the same, which may take over steps that succeeded",
  arguments: [
    {
      name: "[run]",
      about: "a run: its id, @last, @failed, @instance, an agent; @last if not given",
    },
  ],
  options: [
    { flags: "--failed", about: "take over every step that succeeded" },
    { flags: "--from <step>", about: "all but this step and what depends on it" },
    { flags: "--only <step>", about: "all but this step" },
    { flags: "--explain", about: "say what would be taken over and why; do nothing" },
    ...goOnOptions,
  ],
  notes: [
    "Without --failed, --from or --only every step is carried out again.",
    "A step is taken over if it is given the same as in the earlier run: then nothing",
    "is started for it, and what it did to files is not repeated.",
  ],
  printsEvents: { unless: ["explain", "detach"] },
});
