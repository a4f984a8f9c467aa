/** What an agent offers in an auction. */
export interface Bid {
  readonly agent: string;
  /** From 0 to 1. */
  readonly confidence: number | undefined;
  readonly cost: number | undefined;
  /** How long it would take, in its own words. */
  readonly time: string | undefined;
  /** How it would do it. */
  readonly approach: string;
}

/** Functions that decide in a pattern, in place of what its block would. Each answer is journaled: nobody is asked twice. */
export interface PatternFunctions {
  /**
   * Which bid of an auction is the best: one of those that it is given, which `reservePrice` has left, in the order in which they
   * came; null when none may win.
   */
  readonly evaluator?: (bids: readonly Bid[]) => Bid | null | Promise<Bid | null>;
}

/** Their names. */
export const PATTERN_FUNCTIONS = ["evaluator"] as const satisfies readonly PatternFunctionName[];

/** The name of such a function. */
export type PatternFunctionName = keyof PatternFunctions;
