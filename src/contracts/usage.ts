import { readAmount } from "../foundation/outside-number.ts";

/** What turns consumed. Absent members are unknown, not zero. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Part of the input that came from the provider's cache. */
  readonly cachedTokens?: number;
  readonly costUsd?: number;
  /** Part of `costUsd` that no backend reported: it comes from a price table. */
  readonly estimatedUsd?: number;
}

// Beyond any real use, and far from where sums of numbers lose their meaning.
const MOST_TOKENS = 1e12;
const MOST_COST_USD = 1e9;

/**
 * A usage as a backend told it, without what cannot be: only finite numbers, nothing below zero, nothing absurdly large.
 * What is estimated is for Troupe to say.
 */
export function toUsage(told: Usage): Usage {
  return {
    ...member("inputTokens", told, MOST_TOKENS),
    ...member("outputTokens", told, MOST_TOKENS),
    ...member("cachedTokens", told, MOST_TOKENS),
    ...member("costUsd", told, MOST_COST_USD),
  };
}

/** All tokens of a usage; undefined when nothing is known. */
export function tokensOf({ inputTokens, outputTokens }: Usage): number | undefined {
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return (inputTokens ?? 0) + (outputTokens ?? 0);
}

/**
 * Whether nobody knows what a turn cost: it told tokens without a price, or nothing where that means nothing.
 * `untold` is what a turn used that tells nothing.
 */
export function isCostUnknown(
  { costUsd, ...usage }: Usage,
  untold: "nothing" | "unknown",
): boolean {
  if (costUsd !== undefined) return false;
  const tokens = tokensOf(usage);
  return tokens === undefined ? untold === "unknown" : tokens > 0;
}

const COUNTS = ["inputTokens", "outputTokens", "cachedTokens", "costUsd", "estimatedUsd"] as const;

/** The sum of two usages; a member is unknown only if both sides do not know it. */
export function addUsage(left: Usage, right: Usage): Usage {
  const total: { -readonly [Key in keyof Usage]: Usage[Key] } = {};
  for (const key of COUNTS) {
    const [first, second] = [left[key], right[key]];
    if (first !== undefined || second !== undefined) total[key] = (first ?? 0) + (second ?? 0);
  }
  return total;
}

function member<Key extends keyof Usage>(
  key: Key,
  told: Usage,
  most: number,
): { readonly [key in Key]?: number } {
  const amount = readAmount(told[key], most);
  const kept: { [key in Key]?: number } = {};
  if (amount !== undefined) kept[key] = amount;
  return kept;
}
