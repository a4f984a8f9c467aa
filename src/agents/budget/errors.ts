import type { BudgetMeter, BudgetOwner } from "../../contracts/budget.ts";
import { amountText, ownerText } from "../../contracts/budget-words.ts";
import { count } from "../../foundation/count.ts";
import { defineError, type TroupeError } from "../../foundation/errors.ts";
import type { SpentDay } from "./day-budget.ts";

/** A limit that was reached, and by whom. */
export interface LimitDetails {
  readonly run: string;
  readonly owner: BudgetOwner;
  /** Of time in ms, of cost in USD. */
  readonly limit: number;
  /** The turn that found no room or went beyond, if it was one. */
  readonly agent?: string;
  readonly turn?: number;
  readonly step?: string;
}

/** The beginning of a task that may be as long as a prompt. */
function shortName(name: string): string {
  return name.length > 80 ? `${name.slice(0, 79).toWellFormed()}…` : name;
}

interface DayDetails extends SpentDay {
  readonly run: string;
}

/** As a limit is called in sentences, and the option of `troupe resume` that raises it. */
interface LimitWords {
  readonly meter: BudgetMeter;
  readonly name: string;
  readonly flag: string;
}

const COST: LimitWords = { meter: "cost", name: "max_cost", flag: "--max-cost" };
const TOKENS: LimitWords = { meter: "tokens", name: "max_tokens", flag: "--max-tokens" };
const TURNS: LimitWords = { meter: "turns", name: "max_turns", flag: "--max-turns" };
const MESSAGES: LimitWords = { meter: "messages", name: "max_messages", flag: "--max-messages" };
const AGENTS: LimitWords = { meter: "agents", name: "max_agents", flag: "--max-agents" };
const HANDOFFS: LimitWords = { meter: "handoffs", name: "max_handoffs", flag: "--max-handoffs" };
const TIME: LimitWords = { meter: "wallClock", name: "max_time", flag: "--max-time" };

const RESUMABLE =
  "A limit of the run stops it: what is done is kept, what was under way stays open, and the run goes on where it was with a higher limit. A limit of an agent or a step fails its turns instead.";

export const limitCost = defineError("LIMIT_COST", {
  message: (details: LimitDetails) => messageOf(details, COST),
  hint: (details) => hintOf(details, COST),
  about: `Agents have cost as much as a budget allows. ${RESUMABLE}`,
});

export const limitTokens = defineError("LIMIT_TOKENS", {
  message: (details: LimitDetails) => messageOf(details, TOKENS),
  hint: (details) => hintOf(details, TOKENS),
  about: `Agents have used as many tokens as a budget allows. ${RESUMABLE}`,
});

export const limitTurns = defineError("LIMIT_TURNS", {
  message: (details: LimitDetails) => messageOf(details, TURNS),
  hint: (details) => hintOf(details, TURNS),
  about: `Agents have taken as many turns as a budget allows. ${RESUMABLE}`,
});

export const limitMessages = defineError("LIMIT_MESSAGES", {
  message: (details: LimitDetails) => messageOf(details, MESSAGES),
  hint: (details) => hintOf(details, MESSAGES),
  about: `Agents have posted as many messages as a budget allows. ${RESUMABLE}`,
});

export const limitAgents = defineError("LIMIT_AGENTS", {
  message: (details: LimitDetails) => messageOf(details, AGENTS),
  hint: (details) => hintOf(details, AGENTS),
  about: `As many agents were spawned as a budget allows. ${RESUMABLE}`,
});

export const limitHandoffs = defineError("LIMIT_HANDOFFS", {
  message: (details: LimitDetails) => messageOf(details, HANDOFFS),
  hint: (details) => hintOf(details, HANDOFFS),
  about: `Agents have handed tasks over as often as a budget allows, and once more: who got the task begins no turn. ${RESUMABLE}`,
});

export const limitTime = defineError("LIMIT_TIME", {
  message: (details: LimitDetails) => messageOf(details, TIME),
  hint: (details) => hintOf(details, TIME),
  about: `The time that a budget allows is used up; time in which people are waited for does not count. ${RESUMABLE}`,
});

export const limitDay = defineError("LIMIT_DAY", {
  message: ({ limit, spent, of }: DayDetails) =>
    `stopped: the runs of ${of === "user" ? "all projects" : "this project"} have cost ${amountText("cost", spent)} today, of ${amountText("cost", limit)} (budget.perDay) — nothing lost`,
  hint: ({ run, of }) =>
    `it goes on tomorrow, or with more in budget.perDay of the configuration of ${of === "user" ? "the user" : "the project"}: troupe resume ${run}`,
  about:
    "All runs of a day together have cost as much as budget.perDay of the configuration allows. What is done is kept, no turn of an agent with a model begins any more, and the run goes on where it was after midnight or with a higher limit. Turns of unknown cost are not counted, and turns that run side by side may go beyond the limit by what they cost.",
});

/** Turns or iterations that failed in a row. */
export interface FailureDetails {
  readonly run: string;
  /** What they have in common: the agent whose turns they were, the task that they were given, or their series of iterations. */
  readonly of: "agent" | "task" | "series";
  /** Id of the agent, or text of the task; empty for a series. */
  readonly name: string;
  readonly limit: number;
}

export const limitFailures = defineError("LIMIT_FAILURES", {
  message: ({ of, name, limit }: FailureDetails) => {
    const failed =
      of === "series"
        ? `${count(limit, "failed iteration")} in a row`
        : `${count(limit, "failed turn")} in a row of ${of} "${shortName(name)}"`;
    return `stopped after ${failed} (limits.failures) — nothing lost`;
  },
  hint: ({ run, limit }) =>
    `read why: troupe logs ${run}; then continue, which starts the count again: troupe resume ${run} --max-failures ${limit}`,
  about:
    "Turns of one agent, turns with one task, or iterations of a series have failed again and again without a success in between, and nothing would have ended that. What is done is kept, no turn begins any more, and the run goes on where it was, with a count that begins again. Steps that fail are not counted: what their failure means is written in the file.",
});

export const limitInvalid = defineError("LIMIT_INVALID", {
  message: (details: { place: string; problem: string }) => `${details.place} ${details.problem}`,
  hint: () => "a limit is a number above 0; soft is a share of the limits, above 0 and at most 1",
  about: "A limit of a budget cannot be kept as it is given.",
});

const FACTORIES = {
  cost: limitCost,
  tokens: limitTokens,
  turns: limitTurns,
  messages: limitMessages,
  agents: limitAgents,
  handoffs: limitHandoffs,
  wallClock: limitTime,
} as const;

/** The error of a reached limit. */
export function limitReached(meter: BudgetMeter, details: LimitDetails): TroupeError {
  return FACTORIES[meter](details);
}

function messageOf(details: LimitDetails, { meter, name }: LimitWords): string {
  const { owner, limit } = details;
  const amount = amountText(meter, limit);
  if (owner.of !== "run") return `${ownerText(owner)} has reached its limit of ${amount}`;
  return `stopped at ${amount} (${name})${placeOf(details)} — nothing lost`;
}

function placeOf({ agent, step, turn }: LimitDetails): string {
  if (agent === undefined) return "";
  const where = step === undefined ? ` at agent "${agent}"` : ` in step "${step}"`;
  return turn === undefined ? where : `${where}, turn ${turn}`;
}

function hintOf({ run, owner, limit }: LimitDetails, { meter, flag }: LimitWords): string {
  if (owner.of === "run")
    return `continue with more: troupe resume ${run} ${flag} ${raised(meter, limit)}`;
  return `raise ${meter} in the budget of ${ownerText(owner)}`;
}

/** Twice the limit, as its option takes it. */
function raised(meter: BudgetMeter, limit: number): string {
  const twice = limit * 2;
  if (meter === "wallClock") return `${Math.ceil(twice / 1000)}s`;
  return meter === "cost" ? String(Number(twice.toPrecision(6))) : String(Math.round(twice));
}
