import { checkRun, type RunDifference } from "../app/trial/check-run.ts";
import { testExpectation } from "../app/trial/errors.ts";
import type { RunEvidence } from "../app/trial/run-evidence.ts";
import {
  expectationSchema,
  type NumberMatch,
  type RunExpectation,
  type TextMatch,
} from "../app/trial/test-file-schema.ts";

/** What can be asserted of a run. Each returns the same value, so that several stand in a row; each throws TEST_EXPECTATION_FAILED. */
export interface RunAssertions {
  /** All of an `expect` block as test files have it. */
  toBe(expected: Partial<RunExpectation>): RunAssertions;
  /** How it ended; `completed` unless told otherwise. */
  toHaveEnded(outcome?: RunExpectation["outcome"], reason?: TextMatch): RunAssertions;
  /** That an agent said something in a turn or a message, or this. */
  toHaveSpoken(agent: string, text?: TextMatch): RunAssertions;
  /** That a prompt or a message told an agent this. */
  toHaveTold(agent: string, text: TextMatch): RunAssertions;
  /** How steps ended, by their paths. */
  toHaveSteps(steps: NonNullable<RunExpectation["steps"]>): RunAssertions;
  /** That steps started in this order; others may have come between. */
  toHaveOrder(...steps: readonly string[]): RunAssertions;
  /** That messages were posted in this order; others may have come between. */
  toHavePosted(...messages: NonNullable<RunExpectation["messages"]>): RunAssertions;
  /** That a file is there, with this text. */
  toHaveFile(path: string, text?: TextMatch): RunAssertions;
  /** How many turns an agent was given. */
  toHaveTurns(agent: string, turns: NumberMatch): RunAssertions;
  /** What it cost, in US dollars. */
  toHaveCost(costUsd: NumberMatch): RunAssertions;
  /** What the run came to. */
  toHaveOutput(text: TextMatch): RunAssertions;
}

/**
 * Assertions on a run that is over or was let go, as `runWorkflowInMemory` and `playWorkflow` return it.
 *
 * @example
 * ```ts
 * const run = await playWorkflow("review.yaml", { task: "the login page", agents });
 * expectRun(run).toHaveEnded().toHaveSpoken("coder", "session").toHaveOrder("plan", "code");
 * ```
 */
export function expectRun(run: RunEvidence): RunAssertions {
  const assert = (expected: Partial<RunExpectation>): RunAssertions => {
    // Whoever asserts something else says nothing of how it ended.
    const outcome = run.outcome === "suspended" ? "waiting" : run.outcome;
    const whole = expectationSchema.parse({ outcome, ...expected });
    const differences = checkRun(run, whole).map(toDetail);
    if (differences.length > 0) throw testExpectation({ differences });
    return assertions;
  };
  const assertions: RunAssertions = {
    toBe: (expected) => assert({ outcome: "completed", ...expected }),
    toHaveEnded: (outcome = "completed", reason = "") => assert({ outcome, reason }),
    toHaveSpoken: (agent, text = "") => assert({ agents: { [agent]: { said: text } } }),
    toHaveTold: (agent, text) => assert({ agents: { [agent]: { told: text } } }),
    toHaveSteps: (steps) => assert({ steps }),
    toHaveOrder: (...order) => assert({ order: [...order] }),
    toHavePosted: (...messages) => assert({ messages: [...messages] }),
    toHaveFile: (path, text = "") => assert({ files: { [path]: text } }),
    toHaveTurns: (agent, turns) => assert({ agents: { [agent]: { turns } } }),
    toHaveCost: (costUsd) => assert({ costUsd }),
    toHaveOutput: (output) => assert({ output }),
  };
  return assertions;
}

function toDetail({ path, expected, got }: RunDifference) {
  return { path: path.join("."), expected, got };
}
