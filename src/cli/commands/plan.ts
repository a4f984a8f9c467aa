import { declareCommand } from "../command/command.ts";
import { runInputOptions, runOperands } from "./parts/run-input.ts";

/** `troupe plan` */
export const planCommand = declareCommand({
  name: "plan",
  group: "Run",
  authority: "reads",
  summary: "show what a run would do: graph, agents, prompts, limits, estimate",
  arguments: runOperands,
  options: [
    ...runInputOptions,
    {
      flags: "--step <id>",
      about: "only this step and its prompt, repeatable",
      isRepeatable: true,
    },
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: [
    "Nothing is started and nothing is written. Prompts are those that the run would",
    "give; results of others are placeholders.",
    "",
    "Exit codes: 0 it can be run, 2 usage or invalid file, 4 an agent is not ready.",
  ],
});
