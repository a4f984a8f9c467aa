import type { Bid } from "../../contracts/pattern-functions.ts";
import { isRecord } from "../../foundation/json.ts";
import {
  type AuctionRules,
  type Award,
  awardOf,
  type FallingPrice,
  isWithinReserve,
  priceAt,
  rankBids,
  readBid,
} from "../primitives/auction-rules.ts";
import { askFunction } from "./ask-function.ts";
import { plainSignal } from "./plain-answer.ts";
import type { Said, Talk } from "./talk.ts";
import type { Role, TurnCall } from "./talk-turn.ts";

/** An auction as it is to be held. */
export interface AuctionPlan {
  readonly rules: AuctionRules;
  /** Whether a function says which bid is the best. */
  readonly isJudged: boolean;
  /** Ids of all who may bid. */
  readonly bidders: readonly string[];
  readonly biddingTimeoutMs: number;
  /** Rounds of bids at most; in a dutch auction one for each price. */
  readonly rounds: number;
  /** Of a dutch auction. */
  readonly falling: FallingPrice;
  /** What its bidders are. */
  readonly role: Role;
}

/** What the bidding came to. */
export interface Bidding {
  /** In the order in which they came. */
  readonly bids: readonly Bid[];
  readonly award: Award | undefined;
  readonly rounds: number;
}

/** Takes bids as the type of the auction says, until it is known who gets the task, or that nobody does. */
export function takeBids(talk: Talk, plan: AuctionPlan): Promise<Bidding> {
  return BIDDINGS[plan.rules.type](talk, plan);
}

const BIDDINGS: {
  readonly [type in AuctionRules["type"]]: (talk: Talk, plan: AuctionPlan) => Promise<Bidding>;
} = { sealed: takeOnce, vickrey: takeOnce, open: outbid, dutch: lowerPrice };

/** One bid each, which nobody else sees. */
async function takeOnce(talk: Talk, plan: AuctionPlan): Promise<Bidding> {
  const now = "Bid for the task, or pass. There is one round, and nobody sees your bid.";
  const bids = await ask(talk, plan, { round: 1, now, of: plan.bidders });
  const best = await bestOf(talk, plan, bids);
  const others = plan.rules.type === "vickrey" ? bids.filter((bid) => bid !== best) : [];
  const second = best && (await bestOf(talk, plan, others));
  const ranked = [best, second].filter((bid) => bid !== undefined);
  return { bids, award: awardOf(ranked, plan.rules), rounds: 1 };
}

/** Rounds in which the best bid is known, until nobody has a better one. */
async function outbid(talk: Talk, plan: AuctionPlan): Promise<Bidding> {
  const { rules } = plan;
  const bids: Bid[] = [];
  let best: Bid | undefined;
  let round = 0;
  while (round < plan.rounds && talk.broken === undefined) {
    round += 1;
    const others = plan.bidders.filter((id) => id !== best?.agent && talk.isIn(id));
    if (others.length === 0) break;
    const now = openText({ round, best, plan });
    const came = await ask(talk, plan, { round, now, of: others });
    if (came.length === 0) break;
    bids.push(...came);
    const next = await bestOf(talk, plan, best === undefined ? came : [best, ...came]);
    if (next === undefined || next === best) break;
    best = next;
  }
  return { bids, award: awardOf(best === undefined ? [] : [best], rules), rounds: round };
}

/** The price falls until somebody takes it. */
async function lowerPrice(talk: Talk, plan: AuctionPlan): Promise<Bidding> {
  const { falling } = plan;
  let round = 0;
  while (round < plan.rounds && talk.broken === undefined) {
    const price = priceAt(falling, round);
    round += 1;
    const of = plan.bidders.filter((id) => talk.isIn(id));
    const now = `The price is ${price} now: bid if you would do the task with a confidence of at least ${price}, else pass. The first bid gets it; without one the price falls${round === plan.rounds ? " no more" : ` by ${falling.step}`}.`;
    const bids = await ask(talk, plan, { round, now, of, isOver: (bid) => isTaken(bid, price) });
    const winner = bids.find((bid) => isTaken(bid, price));
    const award = winner && { winner, price };
    if (award !== undefined) return { bids, award, rounds: round };
  }
  return { bids: [], award: undefined, rounds: round };
}

/** The best of some bids that came in this order; undefined when none of them can win. */
async function bestOf(
  talk: Talk,
  { rules, isJudged }: AuctionPlan,
  bids: readonly Bid[],
): Promise<Bid | undefined> {
  if (!isJudged) return rankBids(bids, rules)[0];
  const allowed = bids.filter((bid) => isWithinReserve(bid, rules));
  if (allowed.length === 0) return undefined;
  const chosen = await askFunction(talk.context, {
    name: "evaluator",
    ask: (evaluator) => evaluator(allowed),
    read: (answer) => agentIn(answer, allowed),
    expected: "one of the bids, or null",
  });
  return allowed.find(({ agent }) => agent === chosen);
}

/** Whose bid was chosen; null for nobody's. No agent has two bids in one question. */
function agentIn(answer: unknown, bids: readonly Bid[]): string | null | undefined {
  if (answer === null) return null;
  if (!isRecord(answer)) return undefined;
  return bids.find(({ agent }) => agent === answer["agent"])?.agent;
}

/** Whoever bids at a price takes it, unless the bid itself says less. */
function isTaken({ confidence }: Bid, price: number): boolean {
  return confidence === undefined || confidence >= price;
}

interface Asking {
  readonly round: number;
  readonly now: string;
  readonly of: readonly string[];
  /** Whether a bid ends the round. Defaults to none. */
  readonly isOver?: (bid: Bid) => boolean;
}

/** The bids of a round, in the order in which they came; what comes after its time does not count. */
async function ask(talk: Talk, plan: AuctionPlan, asking: Asking): Promise<readonly Bid[]> {
  const { round, now, of, isOver = () => false } = asking;
  const bids: Bid[] = [];
  const hear = (agent: string, said: Said): boolean => {
    const signal =
      said.status === "said" ? said.signals.findLast(({ kind }) => kind === "bid") : undefined;
    if (signal === undefined) return false;
    const bid = readBid(agent, signal);
    bids.push(bid);
    const { confidence = null, cost = null, time = null, approach } = bid;
    talk.advance("bid", { round, agent, confidence, cost, time, approach });
    return isOver(bid);
  };
  const calls = of.map((agent) => bidCall(agent, plan.role, now));
  await talk.turns(calls, { onSaid: hear, timeoutMs: plan.biddingTimeoutMs });
  return bids;
}

function bidCall(agent: string, role: Role, now: string): TurnCall {
  return {
    agent,
    role,
    now,
    demand: {
      kinds: ["bid"],
      form: "BID: [confidence=<0 to 1>] [cost=<number>] <how you would do it>",
      plain: (text) => (passes(text) ? undefined : plainSignal("bid")(text)),
      isEnough: async (_branch, text) => passes(text),
    },
    announce: "none",
    // What one of them posts, the others would know of.
    writesTo: [],
  };
}

function passes(text: string): boolean {
  return /^\s*PASS\b/im.test(text);
}

interface OpenRound {
  readonly round: number;
  readonly best: Bid | undefined;
  readonly plan: AuctionPlan;
}

function openText({ round, best, plan }: OpenRound): string {
  return `Round ${round} of at most ${plan.rounds}. ${best === undefined ? "Nobody has bid yet." : knownText(best, plan)} Bid, or pass. When nobody has a better bid, the best one gets the task.`;
}

function knownText(best: Bid, { rules: { bidBy }, isJudged }: AuctionPlan): string {
  const amount = `The best bid has a ${bidBy} of ${best[bidBy] ?? "nothing"}`;
  if (isJudged) return `${amount}; only a better one counts.`;
  return `${amount}; only a ${bidBy === "cost" ? "lower" : "higher"} one counts.`;
}
