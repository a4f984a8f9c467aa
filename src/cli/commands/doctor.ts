import { declareCommand } from "../command/command.ts";

/** `troupe doctor` */
export const doctorCommand = declareCommand({
  name: "doctor",
  group: "System",
  authority: "reads",
  summary: "check this machine and project, or the journal of one run, and report problems",
  arguments: [
    {
      name: "[run]",
      about: "id of a run, its beginning, @last or @failed: check its journal instead",
    },
  ],
  options: [
    { flags: "--bug-report", about: "print it as a text to paste, without secrets" },
    { flags: "--online", about: "also ask each model whose key is there for a word" },
    {
      flags: "--at-login",
      about: "have the system start the daemon at login, and say how",
      isPersonal: true,
    },
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: [
    "Exit codes: 0 runs can work, 4 the backend that agents get by default is",
    "missing, 2 the configuration is invalid, 1 something else keeps runs from",
    "working. With RUN: the chain of hashes, the seal, the origin, the owner and the",
    "directory of that run; 0 it is intact, 1 it is damaged.",
  ],
});
