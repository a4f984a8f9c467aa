import fc from "fast-check";
import { expect, test } from "vitest";
import type { Bid } from "../../../src/contracts/pattern-functions.ts";
import {
  AUCTION_TYPES,
  type AuctionRules,
  awardOf,
  BID_MEASURES,
  priceAt,
  priceCount,
  rankBids,
  readBid,
} from "../../../src/programs/primitives/auction-rules.ts";

const amount = fc.constantFrom(0, 0.25, 0.5, 0.75, 1, 3);
const maybe = fc.option(amount, { nil: undefined });
const bids = fc
  .array(fc.record({ confidence: maybe, cost: maybe }), { maxLength: 6 })
  .map((list): readonly Bid[] =>
    list.map((each, index) => ({ ...each, agent: `a${index}`, time: undefined, approach: "" })),
  );
const rules = fc.record({
  type: fc.constantFrom(...AUCTION_TYPES),
  bidBy: fc.constantFrom(...BID_MEASURES),
  reservePrice: maybe,
});

const bid = (agent: string, cost: number): Bid => ({
  agent,
  cost,
  confidence: undefined,
  time: undefined,
  approach: "",
});

/** The definition, written down once more: of those within the reserve the best, and of equals the first. */
function winnerByHand(all: readonly Bid[], { bidBy, reservePrice }: AuctionRules) {
  let best: Bid | undefined;
  for (const each of all) {
    const value = each[bidBy];
    if (value === undefined) continue;
    if (reservePrice !== undefined && bidBy === "cost" && value > reservePrice) continue;
    if (reservePrice !== undefined && bidBy === "confidence" && value < reservePrice) continue;
    const known = best?.[bidBy];
    if (known === undefined || (bidBy === "cost" ? value < known : value > known)) best = each;
  }
  return best;
}

test("the best bid within the reserve wins, of equals the earliest, and no such bid is no award [PRM-auction.award]", () => {
  fc.assert(
    fc.property(bids, rules, (given, by) => {
      expect(awardOf(rankBids(given, by), by)?.winner).toEqual(winnerByHand(given, by));
    }),
  );
});

test("the price is the winner's own, in a vickrey auction that of the second, else the reserve, else its own [PRM-auction.award]", () => {
  fc.assert(
    fc.property(bids, rules, (given, by) => {
      const award = awardOf(rankBids(given, by), by);
      if (award === undefined) return;
      const rest = given.filter((each) => each !== award.winner);
      const own = award.winner[by.bidBy];
      const second = winnerByHand(rest, by)?.[by.bidBy];
      expect(award.price).toBe(by.type === "vickrey" ? (second ?? by.reservePrice ?? own) : own);
    }),
  );
});

test("nobody gains in a vickrey auction by a bid that is not true [PRM-auction.award]", () => {
  const by: AuctionRules = { type: "vickrey", bidBy: "cost", reservePrice: 10 };
  const worth = fc.integer({ min: 0, max: 12 });
  fc.assert(
    fc.property(worth, worth, fc.array(worth, { maxLength: 4 }), (cost, lie, others) => {
      const gain = (said: number) => {
        const all = [...others.map((each, index) => bid(`b${index}`, each)), bid("me", said)];
        const award = awardOf(rankBids(all, by), by);
        return award?.winner.agent === "me" ? (award.price ?? 0) - cost : 0;
      };
      expect(gain(cost)).toBeGreaterThanOrEqual(gain(lie));
    }),
  );
});

test("a falling price begins at the first and never goes below the reserve; what people write in tenths stays in tenths [PRM-auction.award]", () => {
  const falling = { startPrice: 0.9, step: 0.1, reservePrice: 0.6 };
  const prices = Array.from({ length: priceCount(falling) }, (_, index) => priceAt(falling, index));
  expect(prices).toEqual([0.9, 0.8, 0.7, 0.6]);
  expect(priceCount({ startPrice: 1, step: 0.3, reservePrice: undefined })).toBe(4);
  expect(priceCount({ startPrice: 0, step: 1, reservePrice: undefined })).toBe(1);
});

test("a bid is read from its signal: tags in any order, then how it would be done [PRM-auction.award]", () => {
  const value = "[cost=3] [confidence=0.5] [time=10m] with tests";
  expect(readBid("a", { kind: "bid", value, confidence: 0.5, by: "text" })).toEqual({
    ...{ agent: "a", confidence: 0.5, cost: 3, time: "10m", approach: "with tests" },
  });
  expect(readBid("a", { kind: "bid", value: "somehow", by: "tool" })).toEqual({
    ...{ agent: "a", confidence: undefined, cost: undefined, time: undefined },
    approach: "somehow",
  });
});
