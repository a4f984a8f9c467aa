import type { Random } from "./random.ts";

/** How long to wait between attempts. */
export interface Backoff {
  /** Wait before the second attempt, in ms. */
  readonly initialMs: number;
  /** Growth per further attempt. Defaults to 2. */
  readonly factor?: number;
  /** Longest wait, in ms. Defaults to 60 s. */
  readonly maxMs?: number;
  /** Share of the wait that is random, 0 to 1. Defaults to 0.2. */
  readonly jitter?: number;
}

/** The wait in ms before the attempt after `failedAttempts` (1 or more) failed ones. */
export function backoffMs(backoff: Backoff, failedAttempts: number, random: Random): number {
  const { initialMs, factor = 2, maxMs = 60_000, jitter = 0.2 } = backoff;
  const fullMs = Math.min(maxMs, initialMs * factor ** Math.max(0, failedAttempts - 1));
  return Math.round(fullMs * (1 - jitter) + fullMs * jitter * random());
}
