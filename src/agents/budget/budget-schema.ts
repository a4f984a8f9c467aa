import { z } from "zod";
import type { Budget } from "../../contracts/budget.ts";

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
  soft: z.number().positive().max(1).exactOptional(),
});
