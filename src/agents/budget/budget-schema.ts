import { z } from "zod";
import type { Budget } from "../../contracts/budget.ts";
import { limitInvalid } from "./errors.ts";

const limit = z.number().positive().exactOptional();

/** A budget as journals and definitions hold it. */
export const budgetSchema: z.ZodType<Budget> = z.object({
  cost: limit,
  tokens: limit,
  turns: limit,
  messages: limit,
  agents: limit,
  handoffs: limit,
  wallClockMs: limit,
  failures: limit,
  soft: z.number().positive().max(1).exactOptional(),
});

/** Keys whose limits are whole numbers. */
const COUNTS: ReadonlySet<string> = new Set([
  "tokens",
  "turns",
  "messages",
  "agents",
  "handoffs",
  "failures",
]);
const AMOUNTS: ReadonlySet<string> = new Set(["cost", "wallClockMs"]);

/** Checks a budget that was written in code. Raises LIMIT_INVALID. */
export function assertBudget(budget: Budget, place: string): void {
  if (place !== "budget" && budget.failures !== undefined)
    throw limitInvalid({ place: `${place}.failures`, problem: "counts for a whole run only" });
  for (const [key, value] of Object.entries(budget)) {
    const problem = problemOf(key, value);
    if (problem !== undefined) throw limitInvalid({ place: `${place}.${key}`, problem });
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
