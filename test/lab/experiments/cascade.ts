import { z } from "zod";
import { type Experiment, foundLine, type Lab, lawLine } from "../experiment.ts";
import { agrees, type Interval, meanOf, scaled, shareOf } from "../interval.ts";
import { play } from "../play.ts";

/** Share of the questions that the small model gets right. */
const EASY = [0.5, 0.7, 0.9, 0.99];
/** Of these the strong one. */
const STRONG = 0.99;
const PRICE = 100;
const TRIES = 400;
const metadataSchema = z.looseObject({ totalCostWeight: z.number() });

/** How much a small model saves that knows when it is not sure. */
export const cascade: Experiment = {
  name: "cascade",
  title: "From cheap to strong",
  law: "Asking a small model first, and the strong one where the small one is not sure, is as right as the strong one at up to 98 percent less.",
  source: "FrugalGPT, arXiv 2305.05176",
  played:
    "Questions of an even difficulty; a small model is right up to one degree of it, a strong one up to 0.99, at a hundred times the price. The small one says how sure it is: one that knows is sure where it is right, one that does not know says so by lot. Both play the pattern `cascade`.",
  run: async (lab) => {
    const knowing = new Map<number, Answered>();
    for (const easy of EASY) knowing.set(easy, await answered(lab, { easy, knows: 1 }));
    const guessing = await answered(lab, { easy: 0.7, knows: 0 });
    const saved = new Map([...knowing].map(([easy, { cost }]) => [easy, savedOf(cost)]));
    const most = saved.get(0.99) ?? guessing.cost;
    const lost = knowing.get(0.9)?.beside ?? guessing.beside;
    const byLot = guessing.beside;
    return {
      plot: {
        x: { label: "share of the questions that the small model solves" },
        y: { label: "percent saved, as right as the strong one" },
        lines: [
          foundLine(
            "a gate that knows",
            new Map([...saved].map(([easy, each]) => [easy, scaled(each, 100)])),
          ),
          lawLine("law", EASY, (easy) => 100 * (easy - 1 / PRICE)),
        ],
      },
      claims: [
        {
          what: "saved where the small model solves 99 of 100, in percent",
          published: "up to 98",
          ...{ found: scaled(most, 100), digits: 1, holds: agrees(most, 0.99 - 1 / PRICE) },
        },
        {
          what: "how much more often right than the strong model on the same questions, where the small one knows",
          published: "0",
          ...{ found: lost, digits: 3, holds: agrees(lost, 0) },
        },
        {
          what: "the same where it says by lot that it is sure",
          published: "below 0: nothing is free",
          ...{ found: byLot, digits: 3, holds: byLot.high < 0 },
        },
      ],
    };
  },
};

interface Answered {
  /** How much more often right than the strong model, asked the same. */
  readonly beside: Interval;
  /** In questions to the strong model. */
  readonly cost: Interval;
}

interface Gate {
  readonly easy: number;
  /** How often it knows whether it is right. */
  readonly knows: number;
}

async function answered(lab: Lab, { easy, knows }: Gate): Promise<Answered> {
  const draw = lab.draw(`cascade ${easy} ${knows}`);
  const beside: number[] = [];
  const tries = lab.tries(TRIES);
  let escalated = 0;
  const block = {
    cascade: {
      tiers: [
        { agent: "small", confidenceThreshold: 0.8, costWeight: 1 },
        { agent: "strong", costWeight: PRICE },
      ],
    },
  };
  for (let count = 0; count < tries; count += 1) {
    const difficulty = draw();
    const solves = difficulty < easy;
    const isSure = draw() < knows ? solves : draw() < 0.5;
    const answer = (isRight: boolean) => (isRight ? "right" : "wrong");
    const { output, metadata } = await play({
      ...{ pattern: "cascade", block },
      cast: {
        small: () => `DONE [confidence=${isSure ? 0.9 : 0.3}]: ${answer(solves)}`,
        strong: () => `DONE [confidence=1]: ${answer(difficulty < STRONG)}`,
      },
    });
    beside.push((output === "right" ? 1 : 0) - (difficulty < STRONG ? 1 : 0));
    if (metadataSchema.parse(metadata).totalCostWeight > PRICE) escalated += 1;
  }
  return { beside: meanOf(beside), cost: plus(shareOf(escalated, tries), 1 / PRICE) };
}

function savedOf({ value, low, high }: Interval): Interval {
  return { value: 1 - value, low: 1 - high, high: 1 - low };
}

function plus({ value, low, high }: Interval, more: number): Interval {
  return { value: value + more, low: low + more, high: high + more };
}
