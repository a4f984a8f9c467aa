import type { Bid } from "../../contracts/pattern-functions.ts";
import type { Signal } from "../../contracts/signal.ts";
import { readNumber } from "../../foundation/outside-number.ts";
import { readTags } from "../../signals/signal-forms.ts";

// From bids to an award. Pure (PRM-auction).

/** How bids are taken: unseen and once, better and better in the open, by a falling price, unseen for the second price. */
export const AUCTION_TYPES = ["sealed", "open", "dutch", "vickrey"] as const;

/** What bids are ranked by: the highest confidence, or the lowest cost. */
export const BID_MEASURES = ["confidence", "cost"] as const;

/** By which rules a task is awarded. */
export interface AuctionRules {
  readonly type: (typeof AUCTION_TYPES)[number];
  readonly bidBy: (typeof BID_MEASURES)[number];
  /** The least confidence, or the highest cost, that a bid may have. */
  readonly reservePrice: number | undefined;
}

/** Who gets a task, and at which price: in what bids are ranked by; undefined where a function has chosen a bid without that. */
export interface Award {
  readonly winner: Bid;
  readonly price: number | undefined;
}

/** A BID as its agent gave it. */
export function readBid(agent: string, { value, confidence }: Signal): Bid {
  const { tags, rest } = readTags(value, ["confidence", "cost", "time"]);
  const cost = tags.get("cost");
  return {
    agent,
    confidence,
    cost: cost === undefined ? undefined : readNumber(cost),
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

/** Who gets the task of bids that can win, the best one first; undefined when there are none. */
export function awardOf(ranked: readonly Bid[], rules: AuctionRules): Award | undefined {
  const [winner, second] = ranked;
  if (winner === undefined) return undefined;
  const own = amountOf(winner, rules);
  if (rules.type !== "vickrey") return { winner, price: own };
  const next = second === undefined ? rules.reservePrice : amountOf(second, rules);
  return { winner, price: next ?? own };
}

/** Whether the reserve leaves a bid; without one any bid. */
export function isWithinReserve(bid: Bid, rules: AuctionRules): boolean {
  return rules.reservePrice === undefined || isValid(bid, rules);
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
