import { declareCommand } from "../command/command.ts";
import { goOnOptions } from "./parts/go-on-options.ts";

/** `troupe resume` */
export const resumeCommand = declareCommand({
  name: "resume",
  group: "Run",
  authority: "person",
  onlyReads: ({ options }) => options.explain,
  actsOn: "run",
  summary: "go on with a run that was interrupted, paused or waits",
  arguments: [
    {
      name: "[run]",
      about: "a run: its id, @last, @failed, @instance, an agent; @last if not given",
    },
  ],
  options: [
    { flags: "--with-current-file", about: "with the workflow file as it is now, if that fits" },
    { flags: "--from <iteration>", about: "a series that is over, once more from this iteration" },
    { flags: "--explain", about: "say what would be kept and what attempted again; do nothing" },
    ...goOnOptions,
  ],
  notes: [
    "A run that is over is not repeated: its result is printed, and its exit code",
    "is that of this command.",
    "A run goes on with the workflow that it was started with, whatever became of",
    "its file, unless --with-current-file says otherwise.",
    "--from N makes a new run, which takes over the iterations before N (from 0).",
  ],
  printsEvents: { unless: ["explain", "detach"] },
});
