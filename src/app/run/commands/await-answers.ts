import type { Machine } from "../../machine/machine.ts";
import { type Answer, createAnswerWatch, type MissingAnswer } from "./answer-watch.ts";
import { followOwned } from "./follow-owned.ts";

/** Which answers are waited for. */
export interface AnswerWait {
  readonly run: string;
  /** The message, and its place in the journal. */
  readonly id: string;
  readonly seq: number;
  /** Whom it was addressed to. */
  readonly agents: readonly string[];
  /** Without it there is no end but that of the run. */
  readonly timeoutMs?: number | undefined;
}

/** What came of the waiting. */
export interface Answers {
  readonly answers: readonly Answer[];
  /** Agents that will not answer, and why. */
  readonly missing: readonly MissingAnswer[];
  /** Agents that had not answered when the time was over. */
  readonly late: readonly string[];
}

/**
 * Waits until each agent has ended the turn that took a message, or will not take it any more. Raises
 * STORE_* errors.
 */
export async function awaitAnswers(machine: Machine, wait: AnswerWait): Promise<Answers> {
  const { run, id, seq, agents, timeoutMs } = wait;
  const watch = createAnswerWatch(id, agents);
  if (agents.length === 0) return { answers: [], missing: [], late: [] };
  const over = new AbortController();
  const timer =
    timeoutMs === undefined ? undefined : machine.clock.startTimer(timeoutMs, () => over.abort());
  try {
    const position = { afterSeq: seq, signal: over.signal };
    const end = await followOwned(machine, run, { ...position, onEvent: watch.observe });
    if (end === "let-go") watch.giveUp(`${run} was let go: troupe resume ${run}`);
    if (end === "orphaned") watch.giveUp(`the process of ${run} is gone: troupe resume ${run}`);
  } finally {
    timer?.cancel();
  }
  const { answers, missing, open } = watch;
  return { answers, missing, late: open };
}
