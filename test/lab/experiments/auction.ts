import type { Bid } from "../../../src/contracts/pattern-functions.ts";
import type { Random } from "../../../src/foundation/random.ts";
import {
  type AuctionRules,
  awardOf,
  rankBids,
} from "../../../src/programs/primitives/auction-rules.ts";
import { type Experiment, foundLine, type Lab, lawLine } from "../experiment.ts";
import { agrees, type Interval, meanOf } from "../interval.ts";

const BIDDERS = 4;
const TRIES = 20_000;
/** What is bid, over what it really costs. */
const FACTORS = [0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.5, 1.8];
/** What others are paid is not what the one who is watched can change. */
const RULES = { bidBy: "cost", reservePrice: undefined } as const;

/** Whether it pays to say what it really costs. */
export const auction: Experiment = {
  name: "auction",
  title: "Bidding what it really costs",
  law: "Where the winner is paid the second price, nobody gains by bidding anything but what it really costs; where it is paid its own, everybody gains by asking for more. With costs drawn evenly from 0 to 1 the second price of n bidders is 2/(n+1) in the mean.",
  source: "Vickrey 1961",
  played:
    "Four bidders whose costs are drawn evenly from 0 to 1; one of them bids a multiple of its cost, the others bid their cost. Awards are those of the pattern `auction`, types `vickrey` and `sealed`.",
  run: async (lab) => {
    const vickrey = gains(lab, "vickrey");
    const sealed = gains(lab, "sealed");
    const honest = meanAt(vickrey, 1);
    const best = [...vickrey].toSorted(([, left], [, right]) => right.value - left.value)[0]?.[0];
    const regret = regretOf(lab);
    const price = priceOf(lab);
    const asked = difference(sealed.get(1.3), sealed.get(1));
    return {
      plot: {
        x: { label: "bid over real cost" },
        y: { label: "gain" },
        lines: [
          foundLine("second price (vickrey)", vickrey),
          foundLine("own price (sealed)", sealed),
          lawLine("what honest bids gain by law", FACTORS, () => 1 / (BIDDERS * (BIDDERS + 1))),
        ],
      },
      claims: [
        {
          what: "second price: gain of honest bids",
          published: (1 / (BIDDERS * (BIDDERS + 1))).toFixed(3),
          found: honest,
          digits: 4,
          holds: agrees(honest, 1 / (BIDDERS * (BIDDERS + 1))) && best === 1,
        },
        {
          what: "second price: the most that any other bid gained over the honest one, in any auction",
          published: "0, never more",
          found: regret,
          digits: 4,
          holds: regret.high <= 1e-9,
        },
        {
          what: "own price: gain of bidding 1.3 times the cost, over the honest bid",
          published: "above 0",
          found: asked,
          digits: 4,
          holds: asked.low > 0,
        },
        {
          what: "second price in the mean",
          published: (2 / (BIDDERS + 1)).toFixed(3),
          found: price,
          digits: 4,
          holds: agrees(price, 2 / (BIDDERS + 1)),
        },
      ],
    };
  },
};

function gains(lab: Lab, type: AuctionRules["type"]): ReadonlyMap<number, Interval> {
  return new Map(
    FACTORS.map((factor) => {
      const draw = lab.draw(`auction ${type}`);
      const all = Array.from({ length: lab.tries(TRIES) }, () => {
        const costs = drawCosts(draw);
        return gainOf(costs, { factor, type });
      });
      return [factor, meanOf(all)];
    }),
  );
}

/** What the first bidder gains. */
function gainOf(
  costs: readonly number[],
  { factor, type }: { readonly factor: number; readonly type: AuctionRules["type"] },
): number {
  const bids = costs.map((cost, index) => bidOf(index, index === 0 ? cost * factor : cost));
  const rules = { ...RULES, type };
  const award = awardOf(rankBids(bids, rules), rules);
  return award?.winner.agent === "b0" ? (award.price ?? 0) - (costs[0] ?? 0) : 0;
}

/** How much the best of all bids would have gained over the honest one. */
function regretOf(lab: Lab): Interval {
  const draw = lab.draw("auction regret");
  let most = 0;
  for (let count = 0; count < lab.tries(TRIES); count += 1) {
    const costs = drawCosts(draw);
    const honest = gainOf(costs, { factor: 1, type: "vickrey" });
    for (const factor of FACTORS)
      most = Math.max(most, gainOf(costs, { factor, type: "vickrey" }) - honest);
  }
  return { value: most, low: most, high: most };
}

function priceOf(lab: Lab): Interval {
  const draw = lab.draw("auction price");
  const prices = Array.from({ length: lab.tries(TRIES) }, () => {
    const bids = drawCosts(draw).map((cost, index) => bidOf(index, cost));
    return (
      awardOf(rankBids(bids, { ...RULES, type: "vickrey" }), { ...RULES, type: "vickrey" })
        ?.price ?? Number.NaN
    );
  });
  return meanOf(prices);
}

function drawCosts(draw: Random): readonly number[] {
  return Array.from({ length: BIDDERS }, () => draw());
}

function bidOf(index: number, cost: number): Bid {
  return { agent: `b${index}`, cost, confidence: undefined, time: undefined, approach: "" };
}

function meanAt(found: ReadonlyMap<number, Interval>, factor: number): Interval {
  return found.get(factor) ?? { value: Number.NaN, low: Number.NaN, high: Number.NaN };
}

function difference(left: Interval | undefined, right: Interval | undefined): Interval {
  if (left === undefined || right === undefined) throw new Error("that factor is not measured");
  return {
    value: left.value - right.value,
    low: left.low - right.high,
    high: left.high - right.low,
  };
}
