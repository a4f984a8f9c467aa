import { declareCommand } from "../command/command.ts";
import { trustOption } from "./parts/trust-option.ts";

/** `troupe test` */
export const testCommand = declareCommand({
  name: "test",
  group: "Files",
  authority: "own-run",
  summary: "play workflows with scripted agents and check what comes of them",
  arguments: [{ name: "<files...>", about: "test files; with --simulate workflow files, too" }],
  options: [
    { flags: "-t, --only <text>", about: "only cases with this text in their names" },
    {
      flags: "--simulate <number>",
      about: "that many runs whose participants misbehave at random",
    },
    { flags: "--seed <number>", about: "the first seed of a simulation, 1 if absent" },
    { flags: "--task <text>", about: "the task of a simulated workflow file" },
    { flags: "--json", about: "print one JSON object" },
    trustOption,
  ],
  notes: [
    "Runs are played in memory, in an empty directory, on a clock that jumps to",
    "whatever is next. The journal of a case that fails is kept as a run of the",
    "project.",
    "",
    "Exit codes: 0 all is as expected, 1 something is not, 2 usage or invalid file.",
  ],
});
