import type { Budget } from "../../contracts/budget.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { present } from "../../foundation/present.ts";
import type { AgentEntry } from "../schema/agent-schema.ts";
import type { BudgetEntry } from "../schema/budget-schema.ts";

/** The limits that a checked file writes, as a member of what they belong to; nothing when there are none. */
export function resolveBudget(entry: BudgetEntry | undefined): { readonly budget?: Budget } {
  const { cost, tokens, turns, messages, agents, handoffs, wallClock, soft } = entry ?? {};
  const wallClockMs = wallClock === undefined ? undefined : parseDuration(wallClock);
  const budget = present({ cost, tokens, turns, messages, agents, handoffs, wallClockMs, soft });
  const limits = Object.entries(budget).filter(([, limit]) => limit !== undefined);
  return limits.length === 0 ? {} : { budget: Object.fromEntries(limits) };
}

/** The limits of an agent: its budget, and what its constraints say of tokens and time; the lower one counts. */
export function resolveAgentBudget({ budget = {}, constraints = {} }: AgentEntry): {
  readonly budget?: Budget;
} {
  const { maxTokens, maxDuration } = constraints;
  const constrained = resolveBudget({ tokens: maxTokens, wallClock: maxDuration }).budget ?? {};
  const own = resolveBudget(budget).budget ?? {};
  const limits = { ...own, ...constrained, ...lower(own, constrained) };
  return Object.keys(limits).length === 0 ? {} : { budget: limits };
}

function lower(left: Budget, right: Budget): Budget {
  const tokens = Math.min(left.tokens ?? Infinity, right.tokens ?? Infinity);
  const wallClockMs = Math.min(left.wallClockMs ?? Infinity, right.wallClockMs ?? Infinity);
  return {
    ...(tokens === Infinity ? {} : { tokens }),
    ...(wallClockMs === Infinity ? {} : { wallClockMs }),
  };
}
