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

/** What somebody said in a turn. */
export interface SaidMessage {
  readonly from: string;
  readonly text: string;
}

/** Functions that decide in a pattern, in place of what its block would. Each answer is journaled: nobody is asked twice. */
export interface PatternFunctions {
  /**
   * Which bid of an auction is the best: one of those that it is given, which `reservePrice` has left, in the order in which they
   * came; null when none may win.
   */
  readonly evaluator?: (bids: readonly Bid[]) => Bid | null | Promise<Bid | null>;
  /** The state of a peer of a gossip, read out of all that it has said so far, the oldest first. Then it need not say `GOSSIP`. */
  readonly stateExtractor?: (messages: readonly SaidMessage[]) => string | Promise<string>;
  /** The state of a peer after it has heard another one. Then peers are asked once, and merge nothing themselves. */
  readonly stateMerger?: (local: string, received: string) => string | Promise<string>;
  /** Whether the states, by peer, are near enough to each other; in place of being the same. */
  readonly convergenceTest?: (states: ReadonlyMap<string, string>) => boolean | Promise<boolean>;
  /** How good the answer of a member of a pool is, higher is better; in place of its judge, or of what it says itself. */
  readonly fitnessExtractor?: (output: string) => number | Promise<number>;
  /** The task of a child of a pool: plain text, in place of that of its parent. Generations count from 0. */
  readonly mutateTask?: (parentTask: string, generation: number) => string | Promise<string>;
}

/** Their names. */
export const PATTERN_FUNCTIONS = [
  "evaluator",
  "stateExtractor",
  "stateMerger",
  "convergenceTest",
  "fitnessExtractor",
  "mutateTask",
] as const satisfies readonly PatternFunctionName[];

/** The name of such a function. */
export type PatternFunctionName = keyof PatternFunctions;
