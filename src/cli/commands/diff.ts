import { declareCommand } from "../command/command.ts";

/** `troupe diff` */
export const diffCommand = declareCommand({
  name: "diff",
  group: "Look",
  authority: "reads",
  summary: "two runs side by side: steps, outputs, prompts, cost",
  arguments: [
    { name: "<run>", about: "a run: its id, @last, @failed, @instance, an agent" },
    { name: "[run-b]", about: "the other one; @last if not given" },
  ],
  options: [
    { flags: "--step <id>", about: "what this step was asked and gave, line by line" },
    { flags: "--json", about: "print one JSON document" },
  ],
  notes: ["The exit code is 0 whether they differ or not."],
});
