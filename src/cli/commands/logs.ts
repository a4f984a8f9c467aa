import { declareCommand } from "../command/command.ts";
import { targetNotes } from "./parts/target-notes.ts";

/** `troupe logs` */
export const logsCommand = declareCommand({
  name: "logs",
  group: "Look",
  authority: "reads",
  summary: "print what happened in a run",
  arguments: [{ name: "[run]", about: "a run or an agent of one; @last if not given" }],
  options: [
    { flags: "-f, --follow", about: "go on until the run is over" },
    { flags: "-n, --tail <number>", about: "only the last lines of what has happened" },
    { flags: "--since <duration>", about: "only what happened in the last 2h, 30m, 1d" },
    { flags: "--grep <pattern>", about: "only lines that this regular expression matches" },
    { flags: "--failed", about: "only what went wrong" },
    { flags: "--agent <id>", about: "only what concerns this agent" },
    { flags: "--step <id>", about: "only what concerns this step" },
    { flags: "--raw", about: "all that the agent's program printed, instead of events" },
    {
      flags: "--transcript",
      about: "what the agent was told, said and called, as JSON lines, instead of events",
    },
    { flags: "--json", about: "print events as JSON lines; --json=all adds operations" },
    { flags: "--json-all", about: "the same as --json=all", isHidden: true },
  ],
  notes: targetNotes,
  printsEvents: { unless: [] },
});
