import { declareCommand } from "../command/command.ts";
import { attendOptions } from "./parts/attend-options.ts";
import { collabInputOptions } from "./parts/run-input.ts";

/** `troupe collab` */
export const collabCommand = declareCommand({
  name: "collab",
  group: "Run",
  authority: "own-run",
  summary: "one agent that spawns others as it needs them",
  arguments: [
    { name: "[goal]", about: "what is to be done" },
    { name: "[argv...]", about: "after --: the program of --agent command" },
  ],
  options: [...collabInputOptions, ...attendOptions],
  notes: [
    'troupe collab "find out why the nightly build is slow" --agent claude',
    "",
    "Roles of the configuration say on which backend and model the others run:",
    "  roles: { worker: { backend: codex }, reviewer: { model: opus } }",
    "limits.maxAgents bounds how many live at a time, limits.maxDepth how deep.",
  ],
  printsEvents: { unless: ["detach"] },
});
