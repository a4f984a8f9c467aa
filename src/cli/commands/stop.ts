import { declareCommand } from "../command/command.ts";

/** `troupe stop` */
export const stopCommand = declareCommand({
  name: "stop",
  group: "Run",
  authority: "person",
  onlyReads: ({ args, options }) => args.length === 0 && !options.all,
  actsOn: "many",
  summary: "stop an agent, an instance or all",
  arguments: [{ name: "[target]", about: "an agent, agent@instance, @instance or a run" }],
  options: [
    { flags: "--all", about: "everything of this project that is not over" },
    { flags: "--force", about: "cut off turns that are under way instead of letting them end" },
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: [
    "An agent that works may finish its turn, for 30 seconds at most. What was",
    "started to go on (troupe start, troupe new) is completed when its last agent",
    "has stopped; any other run that is stopped as a whole ends as cancelled.",
    "Without a target it lists what there is.",
  ],
});
