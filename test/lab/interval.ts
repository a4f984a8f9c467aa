/** What was found, and between what it lies with a certainty of 99 percent. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Standard deviations of a normal distribution that leave out one percent. */
const Z = 2.5758;

/** The mean of values that were found independently of each other. */
export function meanOf(values: readonly number[]): Interval {
  const { length: count } = values;
  const value = values.reduce((sum, each) => sum + each, 0) / count;
  const squares = values.reduce((sum, each) => sum + (each - value) ** 2, 0);
  const half = count < 2 ? Number.POSITIVE_INFINITY : Z * Math.sqrt(squares / (count - 1) / count);
  return { value, low: value - half, high: value + half };
}

/** The share of the tries that succeeded; bounds after Wilson (1927), which stay within 0 and 1. */
export function shareOf(successes: number, tries: number): Interval {
  const value = successes / tries;
  const spread = Z ** 2 / tries;
  const middle = (value + spread / 2) / (1 + spread);
  const half = (Z * Math.sqrt((value * (1 - value)) / tries + spread / tries / 4)) / (1 + spread);
  return { value, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** The same, measured in another unit. */
export function scaled({ value, low, high }: Interval, factor: number): Interval {
  return { value: value * factor, low: low * factor, high: high * factor };
}

/** Whether a law may be true, as far as what was found can tell. */
export function agrees({ low, high }: Interval, law: number): boolean {
  return low <= law && law <= high;
}
