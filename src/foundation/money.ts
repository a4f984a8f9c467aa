/** An amount of US dollars for people: `$2.00`, `$0.42`; small ones with the digits that matter: `$0.0013`. */
export function formatUsd(usd: number): string {
  if (usd === 0 || usd >= 0.01) return `$${usd.toFixed(2)}`;
  return usd < 0.0001 ? "under $0.0001" : `$${Number(usd.toPrecision(2))}`;
}

/** A cost as far as it is known. */
export interface KnownCost {
  /** Nothing is known without it. */
  readonly costUsd?: number | null;
  /** Part of it that comes from a price table. */
  readonly estimatedUsd?: number;
  /** Turns that it leaves out, because nobody knows what they cost. */
  readonly unpricedTurns?: number;
}

/**
 * A cost for people that says how sure it is: `$0.42`, `~$0.42` when a part is estimated, `$0.42+` when turns of
 * unknown cost come on top, `unknown` when there are only such, nothing where nothing was used.
 */
export function formatCost(
  { costUsd, estimatedUsd = 0, unpricedTurns = 0 }: KnownCost,
  format: (usd: number) => string = formatUsd,
): string {
  if (typeof costUsd !== "number") return unpricedTurns > 0 ? "unknown" : "";
  return `${estimatedUsd > 0 ? "~" : ""}${format(costUsd)}${unpricedTurns > 0 ? "+" : ""}`;
}
