import type { CliCommand } from "../command.ts";

/** `troupe show` */
export const showCommand: CliCommand = {
  name: "show",
  group: "Look",
  summary: "show what a run came to, step by step",
  arguments: [{ name: "<run>", about: "id of a run, its beginning, @last or @failed" }],
  options: [
    { flags: "--step <id>", about: "all of one step: output, errors, checks" },
    { flags: "--json", about: "print one JSON object" },
  ],
  load: async () => (await import("../actions/show.ts")).showAction,
};
