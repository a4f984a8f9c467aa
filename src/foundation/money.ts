/** An amount of US dollars for people: `$2.00`, `$0.42`; small ones with the digits that matter: `$0.0013`. */
export function formatUsd(usd: number): string {
  if (usd === 0 || usd >= 0.01) return `$${usd.toFixed(2)}`;
  return usd < 0.0001 ? "under $0.0001" : `$${Number(usd.toPrecision(2))}`;
}
