import type { Random } from "../../../src/foundation/random.ts";
import { type Experiment, foundLine, type Lab, lawLine } from "../experiment.ts";
import { agrees, type Interval, meanOf, scaled } from "../interval.ts";
import { play } from "../play.ts";

const AGENTS = 17;
const ERROR = 0.05;
const TRIES = 200;
/** Shares of the errors that a check finds. */
const CHECKS = [0, 0.25, 0.5, 0.75, 0.9];
/** Times as many errors as one agent makes, as measured with real agents. */
const PUBLISHED = { independent: 17.2, peers: 7.8, hybrid: 5.1, central: 4.4 };
/** What a check must find of seventeen agents' errors so that 4.4 times are left. */
const CENTRAL = 1 - PUBLISHED.central / PUBLISHED.independent;

/** What becomes of the errors of many agents. */
export const topology: Experiment = {
  name: "topology",
  title: "Errors of many agents",
  law: "Beside one agent the errors of agents that work independently grow 17.2 times, where peers check each other 7.8, in hybrids 5.1, and where one in the middle checks them 4.4 times.",
  source: "arXiv 2512.08296, measured with real agents",
  played: `${AGENTS} agents that each get their part wrong with probability ${ERROR}; in the pattern \`fan-out\` nobody looks, in \`scatter-gather\` one reads all and finds a share of the errors. The factors are explained, not predicted: by ${AGENTS} agents, and by a check that finds ${Math.round(100 * CENTRAL)} percent.`,
  run: async (lab) => {
    const alone = await factor(lab);
    const checked = new Map<number, Interval>();
    for (const finds of CHECKS) checked.set(finds, await factor(lab, finds));
    const central = await factor(lab, CENTRAL);
    return {
      plot: {
        x: { label: "share of the errors that the check finds" },
        y: { label: "errors, over those of one agent" },
        lines: [
          foundLine("scatter-gather", checked),
          foundLine("fan-out, unchecked", new Map([[0, alone]])),
          lawLine(`law: ${AGENTS} (1 - share)`, CHECKS, (finds) => AGENTS * (1 - finds)),
        ],
      },
      claims: [
        {
          what: `errors of ${AGENTS} independent agents, over those of one`,
          published: String(PUBLISHED.independent),
          ...{ found: alone, digits: 1, holds: agrees(alone, PUBLISHED.independent) },
        },
        {
          what: `the same where one in the middle finds ${Math.round(100 * CENTRAL)} percent`,
          published: String(PUBLISHED.central),
          ...{ found: central, digits: 1, holds: agrees(central, PUBLISHED.central) },
        },
      ],
    };
  },
};

/** Errors that reach the result, over those of one agent; without a check when none is named. */
async function factor(lab: Lab, finds?: number): Promise<Interval> {
  const errors: number[] = [];
  for (let count = 0; count < lab.tries(TRIES); count += 1) {
    // Each has a lot of its own: they work in any order.
    const draws = (name: string) => lab.draw(`topology ${finds} ${count} ${name}`);
    errors.push(finds === undefined ? await unchecked(draws) : await checkedBy(finds, draws));
  }
  return scaled(meanOf(errors), 1 / ERROR);
}

type Draws = (name: string) => Random;

const NAMES = Array.from({ length: AGENTS }, (_, index) => `part${index + 1}`);

function workers(draws: Draws) {
  return Object.fromEntries(
    NAMES.map((name) => {
      const draw = draws(name);
      return [name, () => (draw() < ERROR ? "part: wrong" : "part: fine")];
    }),
  );
}

async function unchecked(draws: Draws): Promise<number> {
  const { agents } = await play({ pattern: "fan-out", cast: workers(draws) });
  return agents.filter(({ summary }) => summary === "part: wrong").length;
}

async function checkedBy(finds: number, draws: Draws): Promise<number> {
  const draw = draws("editor");
  const gather = (prompt: string) => {
    const wrong = prompt.match(/^part: wrong$/gm)?.length ?? 0;
    const left = Array.from({ length: wrong }).filter(() => draw() >= finds).length;
    return `DONE: ${left} left`;
  };
  const { output = "" } = await play({
    pattern: "scatter-gather",
    block: { scatterGather: { workers: NAMES, gather: "editor" } },
    cast: { ...workers(draws), editor: gather },
  });
  return Number.parseInt(output, 10);
}
