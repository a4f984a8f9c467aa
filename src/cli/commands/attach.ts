import { declareCommand } from "../command/command.ts";

/** `troupe attach` */
export const attachCommand = declareCommand({
  name: "attach",
  group: "Agents",
  authority: "person",
  actsOn: "agent",
  summary: "watch and steer a run that another process carries out",
  arguments: [
    { name: "[target]", about: "a run, @instance or an agent of it; @last if not given" },
  ],
  options: [
    { flags: "--cli", about: "open the agent's own program on its session instead" },
    { flags: "--json", about: "print events as JSON lines, as troupe logs -f does" },
  ],
  notes: [
    "The live view of the run, as if it had been started here: approve, reject,",
    "answer, write to agents. Leave with d or ctrl-c; the run goes on without you.",
    "Without a terminal it prints what troupe logs -f does.",
    "With --cli you talk to one agent in the program that it is (claude, codex, ...),",
    "in a run that is over, paused, or waits in the background. Its next turn goes",
    "on where you left.",
  ],
  printsEvents: { unless: [] },
});
