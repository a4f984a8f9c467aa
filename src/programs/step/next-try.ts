import type { ErrorReport } from "../../foundation/errors.ts";

/** Who may try a step, and how often. */
export interface StepTries {
  /** Undefined for a step that belongs to no agent. */
  readonly agent: string | undefined;
  readonly maxAttempts: number;
  /** Doubles with every attempt, up to five minutes. */
  readonly retryDelayMs: number;
  /** Agents that try once each when its own has given up, in this order; the last is who it is escalated to. */
  readonly others: readonly string[];
}

/** One try of a step. */
export interface StepTry {
  readonly agent: string | undefined;
  /** From 1, whoever tries. */
  readonly attempt: number;
  /** Wait before, in ms. */
  readonly delayMs: number;
}

const MAX_RETRY_DELAY_MS = 300_000;

/** The first try of a step. */
export function firstTry({ agent }: StepTries): StepTry {
  return { agent, attempt: 1, delayMs: 0 };
}

/** Who tries after a failure, or undefined when nobody is left. */
export function nextTry(
  { agent, maxAttempts, retryDelayMs, others }: StepTries,
  failed: StepTry,
  { retryable }: ErrorReport,
): StepTry | undefined {
  const attempt = failed.attempt + 1;
  const isOwn = failed.agent === agent;
  if (isOwn && retryable === true && failed.attempt < maxAttempts) {
    // No jitter: the agents of one run do not storm anything together.
    const delayMs = Math.min(MAX_RETRY_DELAY_MS, retryDelayMs * 2 ** (failed.attempt - 1));
    return { agent, attempt, delayMs };
  }
  // Each tries once, however often it is named; after its own agent, none of them has.
  const left = [...new Set<string | undefined>(others)].filter((other) => other !== agent);
  const other = left[left.indexOf(failed.agent) + 1];
  return other === undefined ? undefined : { agent: other, attempt, delayMs: 0 };
}
