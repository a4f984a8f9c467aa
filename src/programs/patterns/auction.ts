import { z } from "zod";
import type { PatternDefinition } from "../../contracts/definition.ts";
import {
  definePattern,
  type PatternAdvance,
  type PatternFault,
} from "../../contracts/ports/pattern.ts";
import { count } from "../../foundation/count.ts";
import { isDuration, parseDuration } from "../../foundation/duration.ts";
import { present } from "../../foundation/present.ts";
import {
  AUCTION_TYPES,
  type AuctionRules,
  type Award,
  BID_MEASURES,
  priceCount,
} from "../primitives/auction-rules.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { type AuctionPlan, takeBids } from "../talk/bidding.ts";
import { faultsOfNames, memberNamed } from "../talk/find-members.ts";
import { plainSignal } from "../talk/plain-answer.ts";
import { givenTurns, runTalk, type TalkEnd, type TalkPattern } from "../talk/run-talk.ts";
import type { Talk } from "../talk/talk.ts";
import type { Role, TurnCall } from "../talk/talk-turn.ts";
import { bidderConvention } from "./conventions/auction-convention.ts";
import { renderConvention } from "./conventions/convention.ts";

const DEFAULT_BIDDING = "2m";
const DEFAULT_ROUNDS = 5;
const MOST_PRICES = 1000;

const block = z.strictObject({
  task: z.string().min(1).optional().describe("What is auctioned. Default: the task of the run."),
  bidders: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe("Who may bid. Default: all agents."),
  type: z
    .enum(AUCTION_TYPES)
    .optional()
    .describe(
      "`sealed` (default): one bid each, unseen. `vickrey`: the same, for the second price. `open`: bids get better in rounds. `dutch`: the first one at a falling price.",
    ),
  biddingTimeout: z
    .string()
    .refine(isDuration, "it is no duration, such as 30s or 2m")
    .optional()
    .describe(`How long a round of bids may take. Default: ${DEFAULT_BIDDING}.`),
  reservePrice: z
    .number()
    .min(0)
    .optional()
    .describe(
      "The least confidence, or the highest cost, that can win; where a price stops to fall.",
    ),
  bidBy: z
    .enum(BID_MEASURES)
    .optional()
    .describe("What ranks bids: the highest `confidence` (default) or the lowest `cost`."),
  rounds: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe(`open: rounds at most. Default: ${DEFAULT_ROUNDS}.`),
  startPrice: z.number().min(0).optional().describe("dutch: the first price."),
  step: z.number().positive().optional().describe("dutch: by how much it falls."),
});

const pattern: TalkPattern = {
  members: ({ agents }) => givenTurns(agents, () => ({ signals: ["bid"] })),
  role: (definition) => planOf(definition).role,
  metadata,
  talk: auctionOff,
};

/** A task goes to whoever bids best for it, and is done by that agent. */
export const auctionPattern = definePattern({
  name: "auction",
  summary: "Agents bid for a task, and the best bidder does it",
  block,
  goalKey: "task",
  onFailure: "continue",
  order: "mode",
  functions: ["evaluator"],
  members: pattern.members,
  metadata,
  check,
  turns: (definition) => {
    const plan = planOf(definition);
    const bidders = plan.bidders.length;
    const basis = `${count(bidders, "bidder")} x 1 to ${count(plan.rounds, "round")} + the winner`;
    return { least: bidders, most: bidders * plan.rounds + 1, basis };
  },
  links: (definition) =>
    planOf(definition).bidders.map((from) => ({ from, to: "award", kind: "signal" })),
  run: (context, definition) => runTalk(context, definition, pattern),
});

async function auctionOff(talk: Talk): Promise<TalkEnd> {
  const plan = planOf(talk.definition);
  const { bids, award, rounds } = await takeBids(talk, plan);
  talk.advance("award", {
    winner: award?.winner.agent ?? null,
    price: award?.price ?? null,
    by: plan.rules.bidBy,
    bids: bids.length,
    rounds,
  });
  if (award !== undefined) return work(talk, award, plan);
  const error = [...talk.left.values()].at(-1);
  if (plan.bidders.every((id) => !talk.isIn(id)) && error !== undefined)
    return { outcome: "failed", reason: `no bidder is left: ${error.message}`, error };
  const reason = bids.length === 0 ? "nobody bid" : "no bid could win";
  return { outcome: "completed", reason, output: "" };
}

/** The winner does the task. A turn that a bound has cut off is given once more (PAT-ends). */
async function work(
  talk: Talk,
  { winner, price }: Award,
  { rules, role }: AuctionPlan,
): Promise<TalkEnd> {
  const { agent } = winner;
  const at = price === undefined ? "" : ` at a ${rules.bidBy} of ${price}`;
  const now = `You have won the auction: the task is yours${at && `,${at}`}. Do it now, and end with a line \`DONE: <what came out of it>\`.`;
  const call: TurnCall = {
    agent,
    role,
    now,
    demand: { kinds: ["done"], form: "DONE: <what came out of it>", plain: plainSignal("done") },
    announce: "text",
  };
  if (talk.broken !== undefined) talk.unbind();
  let said = await talk.turn(call);
  if (said === undefined) {
    talk.unbind();
    said = await talk.turn(call);
  }
  if (said?.status === "said")
    return {
      outcome: "completed",
      reason: `${agent} won${at} and did it`,
      output: said.output,
    };
  const reason = `${agent} won and could not do it: ${said?.error.message ?? "its turn was cut off"}`;
  return { outcome: "failed", reason, ...present({ error: said?.error }) };
}

/** Whether a function ranks bids that was given in code. */
function isJudged({ functions }: PatternDefinition): boolean {
  return functions?.includes("evaluator") === true;
}

function roleOf({ rules, bidders, rounds, isJudged }: Omit<AuctionPlan, "role">): Role {
  const params = {
    bidders: bidders.length,
    measure: isJudged ? undefined : rules.bidBy,
    rule: RULES[rules.type](rounds),
  };
  return {
    marker: "BID",
    convention: (facts) => renderConvention(bidderConvention, { ...facts, ...params }),
  };
}

const RULES: {
  readonly [type in AuctionRules["type"]]: (rounds: number) => string;
} = {
  sealed: () => "Each bids once, unseen by the others; the best bid wins.",
  vickrey: () =>
    "Each bids once, unseen by the others; the best bid wins, and gets the task at the second best one. So there is nothing to win by a bid that is not true.",
  open: (rounds) =>
    `In up to ${count(rounds, "round")} everybody hears the best bid and may outbid it; the last best bid wins.`,
  dutch: (rounds) => `A price falls, ${rounds} times at most; whoever bids first wins at it.`,
};

function planOf(definition: PatternDefinition): AuctionPlan {
  const { options, agents } = definition;
  const given = block.parse(options);
  const { type = "sealed", bidBy = "confidence", reservePrice } = given;
  const { startPrice = 0, step = 1, biddingTimeout = DEFAULT_BIDDING } = given;
  const members = crewOf(agents);
  const falling = { startPrice, step, reservePrice };
  const rounds = { sealed: 1, vickrey: 1, open: given.rounds ?? DEFAULT_ROUNDS };
  const plan = {
    rules: { type, bidBy, reservePrice },
    isJudged: isJudged(definition),
    bidders:
      given.bidders?.map((id) => memberNamed(members, id)?.id ?? id) ?? members.map(({ id }) => id),
    biddingTimeoutMs: parseDuration(biddingTimeout),
    falling,
    rounds: type === "dutch" ? priceCount(falling) : rounds[type],
  };
  return { ...plan, role: roleOf(plan) };
}

const notes = {
  bid: z.object({
    round: z.number(),
    agent: z.string(),
    confidence: z.number().nullable(),
    cost: z.number().nullable(),
    time: z.string().nullable(),
    approach: z.string(),
  }),
  award: z.object({
    winner: z.string().nullable(),
    price: z.number().nullable(),
    rounds: z.number(),
  }),
};

function metadata(
  { options }: PatternDefinition,
  advances: readonly PatternAdvance[],
): ReturnType<TalkPattern["metadata"]> {
  const { type = "sealed", bidBy = "confidence" } = block.parse(options);
  const ofKind = (wanted: string) =>
    advances.flatMap(({ kind, data }) => (kind === wanted ? [data] : []));
  const [award] = ofKind("award").map((data) => notes.award.parse(data));
  return {
    type,
    bidBy,
    winner: award?.winner ?? null,
    price: award?.price ?? null,
    rounds: award?.rounds ?? 0,
    bids: ofKind("bid").map((data) => notes.bid.parse(data)),
  };
}

function check(definition: PatternDefinition): readonly PatternFault[] {
  const given = block.parse(definition.options);
  const { bidders = [], type = "sealed", bidBy = "confidence", reservePrice } = given;
  const { startPrice, step, rounds } = given;
  const hasSteps = definition.steps.length > 0;
  const faults: PatternFault[] = [
    ...(hasSteps ? [{ problem: "an auction has no steps", hint: "remove steps" }] : []),
    ...faultsOfNames("bidders", bidders, crewOf(definition.agents)),
    ...foreignKeys("dutch", type, { startPrice, step }),
    ...foreignKeys("open", type, { rounds }),
    ...(type === "dutch" ? dutchFaults(given, isJudged(definition)) : []),
  ];
  const isShare = bidBy === "confidence";
  for (const [key, value] of Object.entries({ reservePrice, startPrice }))
    if (isShare && value !== undefined && value > 1)
      faults.push({ key, problem: `${key} is ${value}, and no confidence is above 1` });
  return faults;
}

function foreignKeys(
  owner: string,
  type: string,
  keys: { readonly [key: string]: unknown },
): readonly PatternFault[] {
  if (type === owner) return [];
  return Object.entries(keys).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [{ key, problem: `${key} means nothing in a ${type} auction`, hint: `remove ${key}` }],
  );
}

function dutchFaults(given: z.infer<typeof block>, hasEvaluator: boolean): readonly PatternFault[] {
  const { startPrice, step, reservePrice, bidBy } = given;
  if (hasEvaluator) {
    const problem = "a dutch auction goes to the first bid, so there are none to choose from";
    return [{ problem, hint: "take the evaluator out, or hold another auction" }];
  }
  if (bidBy === "cost") {
    const problem = "a falling price would be taken at once by whoever is paid it";
    return [{ key: "bidBy", problem, hint: "let a dutch auction go by confidence" }];
  }
  if (startPrice === undefined || step === undefined) {
    const key = startPrice === undefined ? "startPrice" : "step";
    return [{ problem: `a dutch auction needs ${key}`, hint: `write ${key}` }];
  }
  if (startPrice < (reservePrice ?? 0))
    return [{ key: "startPrice", problem: "startPrice is below reservePrice" }];
  if (priceCount({ startPrice, step, reservePrice }) > MOST_PRICES)
    return [{ key: "step", problem: `step makes more than ${MOST_PRICES} prices` }];
  return [];
}
