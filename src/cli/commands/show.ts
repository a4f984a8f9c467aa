import { declareCommand } from "../command/command.ts";
import { targetNotes } from "./parts/target-notes.ts";

/** `troupe show` */
export const showCommand = declareCommand({
  name: "show",
  group: "Look",
  authority: "reads",
  summary: "show what a run came to, step by step",
  arguments: [
    {
      name: "[run]",
      about: "a run: its id, @last, @failed, @instance, an agent; @last if not given",
    },
  ],
  options: [
    { flags: "--step <id>", about: "all of one step: output, failure report, checks" },
    { flags: "--output", about: "with --step: all of stdout and stderr that the run has kept" },
    { flags: "--diff", about: "what became of the files since the run began" },
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: targetNotes,
});
