import { declareCommand } from "../command/command.ts";
import { attendOptions } from "./parts/attend-options.ts";
import { teamInputOptions } from "./parts/run-input.ts";

/** `troupe team` */
export const teamCommand = declareCommand({
  name: "team",
  aliases: ["delegate"],
  group: "Run",
  authority: "own-run",
  summary: "a leader plans, workers take tasks from a list that you may edit",
  arguments: [
    { name: "[goal]", about: "what the team is to reach" },
    { name: "[argv...]", about: "after --: the program of --agent command" },
  ],
  options: [...teamInputOptions, ...attendOptions],
  notes: [
    'troupe team "port the parser to TypeScript" --agent claude --workers 3',
    'troupe team "audit the modules" --agent claude --agents codex,gemini',
    "",
    "The tasks stand in .troupe/context/team/NAME/tasks.md. Add, change, complete or",
    "remove lines while the team works. Exit code 1: tasks have failed, or are open.",
  ],
  printsEvents: { unless: ["detach"] },
});
