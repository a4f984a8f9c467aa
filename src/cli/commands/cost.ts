import { COST_DIMENSIONS } from "../../contracts/cost-dimension.ts";
import { declareCommand } from "../command/command.ts";

/** `troupe cost` */
export const costCommand = declareCommand({
  name: "cost",
  group: "Look",
  authority: "reads",
  summary: "what runs have used and what it cost",
  arguments: [
    { name: "[target]", about: "a run, @instance or an agent of it; all runs without one" },
  ],
  options: [
    {
      flags: "--by <what>",
      about: "one line per run, agent, step, turn, model, backend or day",
      choices: COST_DIMENSIONS,
    },
    { flags: "--since <duration>", about: "only turns that ended in the last 7d, 2h, 30m" },
    { flags: "--all-projects", about: "of all projects in which troupe works in the background" },
    { flags: "--limit <number>", about: "at most this many lines" },
    { flags: "--json", about: "print one JSON object" },
  ],
  notes: [
    "Costs are what backends report. ~ stands before a cost that is partly estimated",
    "from tokens and prices: your own (prices in the configuration), else list",
    "prices. + stands behind a cost that leaves out turns of unknown cost.",
  ],
});
