import { z } from "zod";
import type { Usage } from "../../../contracts/usage.ts";

const tokensSchema = z.object({
  inputTokens: z.number(),
  cachedInputTokens: z.number().catch(0),
  outputTokens: z.number(),
});

/** What `thread/tokenUsage/updated` carries. */
export const tokenUsageSchema = z.object({
  threadId: z.string(),
  turnId: z.string(),
  tokenUsage: z.object({ total: tokensSchema, last: tokensSchema }),
});

type Tokens = z.infer<typeof tokensSchema>;

/** Turns the totals of threads, which count from their first day on, into what is new. */
export interface UsageTotals {
  /** What one report adds; undefined when it is about an earlier turn, or adds nothing. */
  take(report: z.infer<typeof tokenUsageSchema>, turn: string | undefined): Usage | undefined;
}

/** No totals known yet. */
export function createUsageTotals(): UsageTotals {
  const totals = new Map<string, Tokens>();
  return {
    take: ({ threadId, turnId, tokenUsage: { total, last } }, turn) => {
      const before = totals.get(threadId);
      totals.set(threadId, total);
      // A resumed thread first repeats where it stood.
      if (turnId !== turn) return undefined;
      const added = before === undefined ? last : difference(total, before);
      if (added.inputTokens + added.outputTokens === 0) return undefined;
      const { inputTokens, outputTokens, cachedInputTokens: cachedTokens } = added;
      return { inputTokens, outputTokens, cachedTokens };
    },
  };
}

function difference(total: Tokens, before: Tokens): Tokens {
  return {
    inputTokens: Math.max(0, total.inputTokens - before.inputTokens),
    cachedInputTokens: Math.max(0, total.cachedInputTokens - before.cachedInputTokens),
    outputTokens: Math.max(0, total.outputTokens - before.outputTokens),
  };
}
