import { declareCommand } from "../command/command.ts";

/** `troupe demo` */
export const demoCommand = declareCommand({
  name: "demo",
  group: "Start",
  authority: "own-run",
  summary: "watch a real run with scripted agents: no key, no network",
  options: [
    { flags: "--fast", about: "without the pauses that make it readable" },
    {
      flags: "--keep",
      about: "keep the files of an earlier demo: the new one gets another folder",
    },
  ],
});
