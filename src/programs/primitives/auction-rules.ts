import type { Signal } from "../../contracts/signal.ts";
import { readTags } from "../../signals/signal-forms.ts";

// From bids to an award. Pure (PRM-auction).

/** How bids are taken: unseen and once, better and better in the open, by a falling price, unseen for the second price. */
export const AUCTION_TYPES = ["sealed", "open", "dutch", "vickrey"] as const;

/** What bids are ranked by: the highest confidence, or the lowest cost. */
export const BID_MEASURES = ["confidence", "cost"] as const;

/** What an agent offers. */
export interface Bid {
  readonly agent: string;
  readonly confidence: number | undefined;
  readonly cost: number | undefined;
  /** How long it would take, in its own words. */
  readonly time: string | undefined;
  /** How it would do it. */
  readonly approach: string;
}

/** By which rules a task is awarded. */
export interface AuctionRules {
  readonly type: (typeof AUCTION_TYPES)[number];
  readonly bidBy: (typeof BID_MEASURES)[number];
  /** The least confidence, or the highest cost, that a bid may have. */
  readonly reservePrice: number | undefined;
}

/** Who gets a task, and at which price: in what bids are ranked by. */
export interface Award {
  readonly winner: Bid;
  readonly price: number;
}

/** A BID as its agent gave it. */
export function readBid(agent: string, { value, confidence }: Signal): Bid {
  const { tags, rest } = readTags(value, ["confidence", "cost", "time"]);
  const cost = tags.get("cost");
  return {
    agent,
    confidence,
    cost: cost === undefined ? undefined : Number(cost),
    time: tags.get("time"),
    approach: rest.replace(/^\s*:?/, "").trim(),
  };
}

/** Bids that can win, the best one first; of equals the one that came earlier. `bids` stand in the order in which they came. */
export function rankBids(bids: readonly Bid[], rules: AuctionRules): readonly Bid[] {
  return bids
    .filter((bid) => isValid(bid, rules))
    .toSorted((left, right) => worthOf(right, rules) - worthOf(left, rules));
}

/** Whether a bid can win and is better than another one; without another, whether it can win. */
export function improves(bid: Bid, best: Bid | undefined, rules: AuctionRules): boolean {
  if (!isValid(bid, rules)) return false;
  return best === undefined || worthOf(bid, rules) > worthOf(best, rules);
}

/** Who gets the task of bids in the order in which they came; undefined when no bid can win. */
export function awardOf(bids: readonly Bid[], rules: AuctionRules): Award | undefined {
  const [winner, second] = rankBids(bids, rules);
  if (winner === undefined) return undefined;
  const own = amountOf(winner, rules) ?? 0;
  if (rules.type !== "vickrey") return { winner, price: own };
  const next = second === undefined ? rules.reservePrice : amountOf(second, rules);
  return { winner, price: next ?? own };
}

/** How a price falls. */
export interface FallingPrice {
  readonly startPrice: number;
  readonly step: number;
  readonly reservePrice: number | undefined;
}

/** How many prices a falling one goes through: the first, and all that are not below the reserve, or 0. */
export function priceCount({ startPrice, step, reservePrice = 0 }: FallingPrice): number {
  return Math.floor((startPrice - reservePrice) / step + ROUNDING) + 1;
}

/** One of the prices, from 0. */
export function priceAt({ startPrice, step }: FallingPrice, index: number): number {
  // People write 0.9 and 0.1, and mean 0.7 by the third one.
  return Number((startPrice - index * step).toFixed(PRICE_DIGITS));
}

const PRICE_DIGITS = 9;
const ROUNDING = 1e-9;

function amountOf(bid: Bid, { bidBy }: AuctionRules): number | undefined {
  return bid[bidBy];
}

/** Higher is better, whatever it is measured by. */
function worthOf(bid: Bid, rules: AuctionRules): number {
  const amount = amountOf(bid, rules) ?? Number.NaN;
  return rules.bidBy === "cost" ? -amount : amount;
}

function isValid(bid: Bid, rules: AuctionRules): boolean {
  const { bidBy, reservePrice } = rules;
  const amount = amountOf(bid, rules);
  if (amount === undefined) return false;
  if (reservePrice === undefined) return true;
  return bidBy === "cost" ? amount <= reservePrice : amount >= reservePrice;
}
