import { addUsage, type Usage } from "../../../contracts/usage.ts";
import { formatCost, type KnownCost } from "../../../foundation/money.ts";
import type { LiveModel } from "./live-model.ts";

/** What the run has used so far, running turns included. */
export function usageSoFar({ state, activity }: LiveModel): Usage {
  return addUsage(state.usage, activity.usage);
}

/**
 * What it cost, as `formatCost` tells it: `$0.42`, `~$0.42`, `$0.42/$2` of a limit, `cost unknown` where tokens
 * were used that nobody knows the price of, or nothing.
 */
export function tellCost(usage: Usage & KnownCost, limitUsd?: number): string {
  const limit = limitUsd === undefined ? "" : `/$${limitUsd.toFixed(2).replace(/\.00$/, "")}`;
  const told = formatCost(usage, (usd) => `$${usd.toFixed(2)}`);
  if (usage.costUsd !== undefined) return `${told}${limit}`;
  return countTokens(usage) === undefined ? "" : "cost unknown";
}

/** How many tokens: `850 tok`, `12.4k tok`, `1.2M tok`, or nothing when that is unknown. */
export function tellTokens(usage: Usage): string {
  const tokens = countTokens(usage);
  return tokens === undefined ? "" : `${shortNumber(tokens)} tok`;
}

function countTokens({ inputTokens, outputTokens }: Usage): number | undefined {
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return (inputTokens ?? 0) + (outputTokens ?? 0);
}

/** A number in few characters: `850`, `12.4k`, `1.2M`. */
export function shortNumber(number: number): string {
  if (number < 1000) return String(number);
  // From here on it would be rounded to 1000k.
  if (number < 999_950) return `${(number / 1000).toFixed(1)}k`;
  return `${(number / 1_000_000).toFixed(1)}M`;
}
