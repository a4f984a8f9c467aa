import { declareCommand } from "../command/command.ts";

/** `troupe doctor` */
export const doctorCommand = declareCommand({
  name: "doctor",
  group: "System",
  authority: "reads",
  summary: "check this machine and project, and say what is missing",
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
    "working.",
  ],
});
