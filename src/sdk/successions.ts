import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import type { PatternFunctions } from "../contracts/pattern-functions.ts";
import type { RouteTest } from "../contracts/ports/pattern.ts";
import { present } from "../foundation/present.ts";
import type { AuctionRules } from "../programs/primitives/auction-rules.ts";
import { beginTalk, namedMembers } from "./begin-talk.ts";
import {
  AMOUNT,
  either,
  FUNCTION,
  listOf,
  NUMBER,
  type OptionTable,
  optionsOf,
  required,
  TEXT,
} from "./check-options.ts";
import {
  assertPrograms,
  checkOptions,
  MEMBERS,
  ONE_MEMBER,
  TALK_OPTIONS,
} from "./option-tables.ts";
import { type MemberTask, namesOfMembers, type TalkOptions } from "./talk-definition.ts";

// One agent at a time has the task.

export interface HandoffRoute {
  readonly agent: MemberTask;
  /**
   * When this agent is to get the task: in words, for the holder to decide, or a function of the text of a turn without
   * DONE and HANDOFF. A run with functions is resumed with them: `resumeRun(id, { routes: [{ name: "billing", test }] })`.
   */
  readonly condition: string | RouteTest["test"];
}

export interface HandoffOptions extends TalkOptions {
  /** Who holds the task first. */
  readonly entryPoint: MemberTask;
  readonly routes: readonly HandoffRoute[];
  /** Hand-overs at most; then the holder must finish. Defaults to 5. */
  readonly maxHandoffs?: number;
  /** Who gets the task when it is handed to nobody. Defaults to the entry point. */
  readonly fallback?: MemberTask;
}

/**
 * One agent at a time holds the task, and finishes it or hands it over with all that was said of it.
 *
 * @example
 * ```ts
 * const run = handoff({
 *   entryPoint: { name: "triage", task: "Answer the customer: my invoice is wrong" },
 *   routes: [{ agent: { name: "billing", task: "Correct invoices" }, condition: "payment, invoice" }],
 * });
 * console.log((await run.result).metadata);
 * ```
 */
export function handoff(options: HandoffOptions): WorkflowRun {
  checkOptions("handoff", HANDOFF, options);
  const taken = options.routes.map(({ agent }) => agent);
  assertPrograms("handoff", [options.entryPoint, ...taken, options.fallback ?? {}]);
  const { entryPoint, routes, maxHandoffs, fallback } = options;
  const [entry = "Entry"] = namesOfMembers([entryPoint], "Entry");
  const others = namedMembers(
    routes.map(({ agent }) => agent),
    "Specialist",
  );
  const last = fallback === undefined ? [] : namedMembers([fallback], "Fallback");
  const block = {
    entryPoint: entry,
    routes: routes.map(({ condition }, index) => {
      const { name: agent = "" } = others[index] ?? {};
      return typeof condition === "string" ? { agent, condition } : { agent, test: agent };
    }),
    ...present({ maxHandoffs, fallback: last[0]?.name }),
  };
  const tests = routes.flatMap(({ condition: test }, index) =>
    typeof test === "string" ? [] : [{ name: others[index]?.name ?? "", test }],
  );
  const members = [{ task: entryPoint, name: entry }, ...others, ...last];
  return beginTalk("handoff", { members, block, options, routes: tests });
}

const ROUTE: OptionTable<HandoffRoute> = {
  agent: required(ONE_MEMBER),
  condition: required(either(TEXT, FUNCTION)),
};

const HANDOFF: OptionTable<HandoffOptions> = {
  ...TALK_OPTIONS,
  ...{ entryPoint: required(ONE_MEMBER), routes: required(listOf(optionsOf(ROUTE))) },
  ...{ maxHandoffs: NUMBER, fallback: ONE_MEMBER },
};

export interface AuctionOptions extends TalkOptions, Pick<PatternFunctions, "evaluator"> {
  /** What is auctioned. Plain text: nothing in it is expanded. */
  readonly task: string;
  /** Who may bid; their tasks say what they are good at. */
  readonly bidders: readonly MemberTask[];
  /** How bids are taken. Defaults to `sealed`. */
  readonly type?: AuctionRules["type"];
  /** What ranks bids: the highest confidence (default) or the lowest cost. */
  readonly bidBy?: AuctionRules["bidBy"];
  /** The least confidence, or the highest cost, that can win. Defaults to any. */
  readonly reservePrice?: number;
  /** How long a round of bids may take, in ms. Defaults to 2 minutes. */
  readonly biddingTimeoutMs?: number;
  /** Rounds of an open auction at most. Defaults to 5. */
  readonly rounds?: number;
  /** First price of a dutch auction, which needs one. */
  readonly startPrice?: number;
  /** By how much the price of a dutch auction falls; it needs that. */
  readonly step?: number;
}

/**
 * Agents bid for a task, and the best bidder does it. `metadata.winner` of the result is null when nobody could win. A run with
 * an `evaluator` is resumed with it: `resumeRun(id, { patternFunctions: { evaluator } })`.
 *
 * @example
 * ```ts
 * const run = auction({
 *   task: "Speed up the search page",
 *   bidders: [{ name: "pages", task: "You know the pages" }, { name: "index", task: "You know the index" }],
 *   type: "vickrey",
 *   bidBy: "cost",
 * });
 * console.log((await run.result).metadata);
 * ```
 */
export function auction(options: AuctionOptions): WorkflowRun {
  checkOptions("auction", AUCTION, options);
  assertPrograms("auction", options.bidders);
  const { task, bidders, biddingTimeoutMs, type, bidBy, reservePrice } = options;
  const { rounds, startPrice, step, evaluator } = options;
  const members = namedMembers(bidders, "Bidder");
  const biddingTimeout = biddingTimeoutMs === undefined ? undefined : `${biddingTimeoutMs}ms`;
  const block = present({ type, bidBy, reservePrice, biddingTimeout, rounds, startPrice, step });
  const patternFunctions = present({ evaluator });
  return beginTalk("auction", { members, block, goal: task, options, patternFunctions });
}

const AUCTION: OptionTable<AuctionOptions> = {
  ...TALK_OPTIONS,
  ...{ task: required(TEXT), bidders: MEMBERS, type: TEXT, bidBy: TEXT, reservePrice: NUMBER },
  ...{ biddingTimeoutMs: AMOUNT, rounds: NUMBER, startPrice: NUMBER, step: NUMBER },
  evaluator: FUNCTION,
};

export interface CascadeTier {
  readonly agent: MemberTask;
  /** Confidence from which its answer stands, 0 to 1. Defaults to 0.7. */
  readonly confidenceThreshold?: number;
  /** What it costs beside the others. Defaults to 1. */
  readonly costWeight?: number;
}

export interface CascadeOptions extends TalkOptions {
  /** From cheap to strong. */
  readonly tiers: readonly CascadeTier[];
  /** Tiers after the first at most. Defaults to all. */
  readonly maxEscalations?: number;
}

/**
 * Tiers from cheap to strong: the first answer that is sure enough stands.
 *
 * @example
 * ```ts
 * const run = cascade({
 *   tiers: [
 *     { agent: { name: "fast", task: "Classify the ticket", model: "haiku" }, confidenceThreshold: 0.8 },
 *     { agent: { name: "strong", task: "Classify the ticket", model: "opus" }, costWeight: 20 },
 *   ],
 * });
 * console.log((await run.result).metadata);
 * ```
 */
export function cascade(options: CascadeOptions): WorkflowRun {
  const tiers = required(listOf(optionsOf(TIER)));
  checkOptions<CascadeOptions>(
    "cascade",
    { ...TALK_OPTIONS, tiers, maxEscalations: NUMBER },
    options,
  );
  assertPrograms(
    "cascade",
    options.tiers.map(({ agent }) => agent),
  );
  const { maxEscalations } = options;
  const members = namedMembers(
    options.tiers.map(({ agent }) => agent),
    "Tier",
  );
  const block = {
    tiers: options.tiers.map(({ confidenceThreshold, costWeight }, index) => ({
      agent: members[index]?.name ?? "",
      ...present({ confidenceThreshold, costWeight }),
    })),
    ...present({ maxEscalations }),
  };
  return beginTalk("cascade", { members, block, options });
}

const TIER: OptionTable<CascadeTier> = {
  ...{ agent: required(ONE_MEMBER), confidenceThreshold: NUMBER, costWeight: NUMBER },
};
