import { declareCommand } from "../command/command.ts";

/** `troupe away` */
export const awayCommand = declareCommand({
  name: "away",
  group: "People",
  authority: "reads",
  summary: "what happened since you looked last",
  options: [
    { flags: "--since <duration>", about: "what happened in the last 2h, 30m, 1d instead" },
    { flags: "--no-mark", about: "do not count this as a look" },
    { flags: "--limit <number>", about: "at most this many runs, the newest" },
    { flags: "--json", about: "print one JSON object; never counts as a look" },
  ],
  notes: [
    "A look is remembered for each project and user, in the state directory of",
    "troupe. With --since it is not: what lies further back is still news the next",
    "time.",
  ],
});
