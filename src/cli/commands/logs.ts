import type { CliCommand } from "../command.ts";

/** `troupe logs` */
export const logsCommand: CliCommand = {
  name: "logs",
  group: "Look",
  summary: "print what happened in a run",
  arguments: [{ name: "[run]", about: "id of a run, its beginning, @last (default) or @failed" }],
  options: [
    { flags: "-f, --follow", about: "go on until the run is over" },
    { flags: "--agent <id>", about: "only what concerns this agent" },
    { flags: "--step <id>", about: "only what concerns this step" },
    { flags: "--json", about: "print events as JSON lines; --json=all adds operations" },
    { flags: "--json-all", about: "the same as --json=all", isHidden: true },
  ],
  load: async () => (await import("../actions/logs.ts")).logsAction,
};
