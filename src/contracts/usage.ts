/** What turns consumed. Absent members are unknown, not zero. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Part of the input that came from the provider's cache. */
  readonly cachedTokens?: number;
  readonly costUsd?: number;
}

/** The sum of two usages; a member is unknown only if both sides do not know it. */
export function addUsage(left: Usage, right: Usage): Usage {
  return {
    ...sum("inputTokens", left, right),
    ...sum("outputTokens", left, right),
    ...sum("cachedTokens", left, right),
    ...sum("costUsd", left, right),
  };
}

function sum<Key extends keyof Usage>(
  key: Key,
  left: Usage,
  right: Usage,
): { readonly [key in Key]?: number } {
  const [first, second] = [left[key], right[key]];
  if (first === undefined && second === undefined) return {};
  const total: { [key in Key]?: number } = {};
  total[key] = (first ?? 0) + (second ?? 0);
  return total;
}
