import { declareCommand } from "../command/command.ts";
import { goOnOptions } from "./parts/go-on-options.ts";

/** `troupe fork` */
export const forkCommand = declareCommand({
  name: "fork",
  group: "Run",
  authority: "person",
  actsOn: "run",
  summary: "a new run that begins as another one did, then goes its own way",
  arguments: [
    {
      name: "[run]",
      about: "a run: its id, @last, @failed, @instance, an agent; @last if not given",
    },
  ],
  options: [
    { flags: "--at <seq-or-step>", about: "after this event, or before this step's first start" },
    {
      flags: "--set <path=value>",
      about: "task, params.NAME, input.KEY, context.STEP.FIELD, steps.STEP.output",
      isRepeatable: true,
    },
    { flags: "--no-start", about: "make it, and leave it to resume" },
    ...goOnOptions,
  ],
  notes: [
    "Everything before the fork stands as it was and is not done again. --set changes",
    "only what nothing before it has used. Files stay as they are now. Agents begin",
    "new sessions, which are told what they did before.",
    "The other run may be over, running, or damaged after that event.",
  ],
  printsEvents: { unless: ["noStart", "detach"] },
});
