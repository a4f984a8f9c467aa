import type { Budget } from "../../contracts/budget.ts";
import { limitInvalid } from "./errors.ts";

/** Keys whose limits are whole numbers. */
const COUNTS: ReadonlySet<string> = new Set(["tokens", "turns", "messages", "agents", "handoffs"]);
const AMOUNTS: ReadonlySet<string> = new Set(["cost", "wallClockMs"]);
/** What several turns of one step cannot be told apart by. */
const NOT_OF_STEPS: ReadonlySet<string> = new Set(["messages", "agents", "handoffs"]);

/** Checks a budget that was written in code. Raises LIMIT_INVALID. */
export function assertBudget(budget: Budget, place: string): void {
  for (const [key, value] of Object.entries(budget)) {
    const problem = problemOf(key, value);
    if (problem !== undefined) throw limitInvalid({ place: `${place}.${key}`, problem });
  }
}

/** Checks the budget of a step. Raises LIMIT_INVALID. */
export function assertStepBudget(budget: Budget, place: string): void {
  assertBudget(budget, place);
  for (const key of Object.keys(budget)) {
    const problem = "is no limit of a step: messages and spawned agents belong to agents";
    if (NOT_OF_STEPS.has(key)) throw limitInvalid({ place: `${place}.${key}`, problem });
  }
}

function problemOf(key: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const isShare = key === "soft";
  if (!isShare && !COUNTS.has(key) && !AMOUNTS.has(key)) return "is nothing that a budget limits";
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0)
    return `must be a number above 0, got ${String(value)}`;
  if (isShare && value > 1) return `must be at most 1, got ${value}`;
  return COUNTS.has(key) && !Number.isInteger(value)
    ? `must be a whole number, got ${value}`
    : undefined;
}
