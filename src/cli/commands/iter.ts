import { declareCommand } from "../command/command.ts";
import { attendOptions } from "./parts/attend-options.ts";
import { seriesInputOptions } from "./parts/run-input.ts";

/** `troupe iter` */
export const iterCommand = declareCommand({
  name: "iter",
  group: "Run",
  authority: "own-run",
  summary: "one task again and again, each time by a fresh agent",
  arguments: [
    { name: "[condition]", about: "how often or how long: 5, 30m, 2h; not needed with --until" },
    { name: "[task]", about: "what is to be done" },
    { name: "[argv...]", about: "after --: the program of --agent command" },
  ],
  options: [...seriesInputOptions, ...attendOptions],
  notes: [
    'troupe iter 5 "improve the tests" --agent claude --commit',
    'troupe iter --until "npm test" "make the tests pass" --agent codex',
    "",
    "Each iteration is told what those before it did. One that fails does not end the",
    "series; five in a row do. Exit code 1: none succeeded.",
    "From an iteration of a series that is over: troupe resume RUN --from 2",
  ],
  printsEvents: { unless: ["detach"] },
});
