import { declareCommand } from "../command/command.ts";

/** `troupe report` */
export const reportCommand = declareCommand({
  name: "report",
  group: "Share",
  authority: "reads",
  summary: "write a run into one HTML file that shows every moment of it",
  arguments: [
    { name: "[run]", about: "id of a run, its beginning, @last or @failed; @last if not given" },
  ],
  options: [
    {
      flags: "-o, --output <path>",
      about: "where it is written; else .troupe/runs/RUN/report.html",
    },
    { flags: "--redact", about: "take out what tells of this machine, before you share it" },
  ],
  notes: [
    "The file holds all that the agents were told, said and did. Known secrets are",
    "always masked. --redact also masks what looks like a credential and the values",
    "of `env`, and shortens e-mail addresses and paths of the project and of home.",
  ],
});
