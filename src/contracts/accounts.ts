import { z } from "zod";

/** How fast the turns of one account may begin; absent as long as its provider never asked to wait. */
export interface AccountPace {
  /** Nothing begins before then, in milliseconds since the epoch. */
  readonly untilMs: number;
  /** When the provider asked to wait. Turns that began before that prove nothing about now. */
  readonly sinceMs: number;
  /** How often in a row it asked. */
  readonly strikes: number;
  /** How many turns may run that began after it asked. */
  readonly window: number;
}

/** An account's pace as it is stored. */
export const accountPaceSchema: z.ZodType<AccountPace> = z.object({
  untilMs: z.number(),
  sinceMs: z.number(),
  strikes: z.number(),
  window: z.number(),
});

/** A turn of an account that runs. */
export interface RunningAccountTurn {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly enteredMs: number;
}

/** What is known of one account. */
export interface AccountRecord {
  readonly pace: AccountPace | undefined;
  /** The turns of everybody who shares the ledger. */
  readonly turns: readonly RunningAccountTurn[];
}

/** Where agents that share an account see each other, in other processes too. */
export interface AccountLedger {
  /**
   * Looks at an account and changes it, with nobody between. Turns of processes that are gone are not there.
   * Raises what the file of the ledger raises.
   */
  update<Result>(account: string, change: (record: AccountRecord) => AccountChange<Result>): Result;
  /** Takes the turns back that entered through this ledger. Idempotent. */
  close(): void;
}

/** What becomes of an account, and what the caller wanted to know. */
export interface AccountChange<Result> {
  readonly record: AccountRecord;
  readonly result: Result;
}
