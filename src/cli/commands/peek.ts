import { declareCommand } from "../command/command.ts";

/** `troupe peek` */
export const peekCommand = declareCommand({
  name: "peek",
  group: "Agents",
  authority: "reads",
  summary: "see the last messages, and what agents do right now",
  arguments: [{ name: "[target]", about: "agent, agent@instance, @instance or a run" }],
  options: [
    { flags: "--to <target>", about: "the same as the operand" },
    { flags: "-n, --lines <number>", about: "most messages, 20 if not given" },
    { flags: "-f, --follow", about: "go on until the run is over" },
    { flags: "--json", about: "print events as JSON lines" },
  ],
  notes: [
    "Without a target the only agent alive is meant, else the one that was created",
    "or written to last, else the newest run. Of an agent: what it wrote, what was",
    "written to it and what mentions it. Of a run: all messages. Looking takes",
    "nothing away from those who are to read it.",
  ],
  printsEvents: { unless: [] },
});
