import type { Usage } from "../../../contracts/usage.ts";
import { addUsage } from "../../../contracts/usage.ts";
import type { ClaudeLineOf } from "./claude-lines.ts";

type Result = ClaudeLineOf<"result">;
type ModelUse = NonNullable<Result["model_usage_since_last_result"]>[string];

/** Tells what each result of one program is to be counted with. */
export interface ClaudeMeter {
  take(result: Result): Usage;
}

/**
 * A meter for a program that was just started. Results carry the costs of the whole session, also of what was
 * there before a resume: where the program does not tell the difference, the first one of a resumed session
 * can only be remembered.
 */
export function createClaudeMeter({ isResumed }: { readonly isResumed: boolean }): ClaudeMeter {
  let totalUsd = isResumed ? undefined : 0;
  return {
    take: (result) => {
      const { total_cost_usd: newTotalUsd, model_usage_since_last_result: perModel } = result;
      const beforeUsd = totalUsd;
      if (newTotalUsd !== undefined) totalUsd = newTotalUsd;
      if (perModel !== undefined) return Object.values(perModel).reduce(addModelUse, {});
      const tokens = tokensOf(result.usage);
      if (newTotalUsd === undefined || beforeUsd === undefined) return tokens;
      return { ...tokens, costUsd: Math.max(0, newTotalUsd - beforeUsd) };
    },
  };
}

function addModelUse(sum: Usage, use: ModelUse): Usage {
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens } = use;
  const added = addUsage(
    sum,
    tokensOf({
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cache_read_input_tokens: cacheReadInputTokens,
      cache_creation_input_tokens: cacheCreationInputTokens,
    }),
  );
  // For models without a known price it takes that of another one.
  if (use.costUSD === undefined || use.costBasis === "unknown") return added;
  return addUsage(added, { costUsd: use.costUSD });
}

function tokensOf(usage: Result["usage"]): Usage {
  if (usage === undefined) return {};
  const { input_tokens: fresh, output_tokens: output } = usage;
  const { cache_read_input_tokens: read = 0, cache_creation_input_tokens: written = 0 } = usage;
  return {
    ...(fresh === undefined ? {} : { inputTokens: fresh + read + written, cachedTokens: read }),
    ...(output === undefined ? {} : { outputTokens: output }),
  };
}
