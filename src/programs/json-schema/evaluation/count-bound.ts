/** How many there may be, by the keywords that say it. */
export interface CountBound {
  readonly least?: unknown;
  readonly most?: unknown;
}

/** Which bound a number misses: "at least 2"; undefined for one that keeps both. */
export function missedBound(
  count: number,
  { least = 0, most = Infinity }: CountBound,
): string | undefined {
  if (count < Number(least)) return `at least ${least}`;
  return count > Number(most) ? `at most ${most}` : undefined;
}
