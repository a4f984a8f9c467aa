import { expect, test } from "vitest";
import { nextTry, type StepTries, type StepTry } from "../../../src/programs/step/execute-step.ts";

const own: StepTries = { agent: "a", maxAttempts: 3, retryDelayMs: 100, others: [] };
const passing = { code: "X", message: "again", retryable: true };
const lasting = { code: "X", message: "never" };

function tried(agent: string | undefined, attempt: number): StepTry {
  return { agent, attempt, delayMs: 0 };
}

test("its own agent tries again, each time after twice as long, as often as it may", () => {
  expect(nextTry(own, tried("a", 1), passing)).toEqual({ agent: "a", attempt: 2, delayMs: 100 });
  expect(nextTry(own, tried("a", 2), passing)).toEqual({ agent: "a", attempt: 3, delayMs: 200 });
  expect(nextTry(own, tried("a", 3), passing)).toBeUndefined();
});

test("nothing waits longer than five minutes", () => {
  const many = { ...own, maxAttempts: 100 };
  expect(nextTry(many, tried("a", 60), passing)?.delayMs).toBe(300_000);
});

test("a failure that would come again ends the tries of its own agent at once", () => {
  expect(nextTry(own, tried("a", 1), lasting)).toBeUndefined();
});

test("each other agent tries once and without a wait, in order, however often it is named", () => {
  const tries = { ...own, others: ["b", "a", "b", "c"] };
  expect(nextTry(tries, tried("a", 1), lasting)).toEqual({ agent: "b", attempt: 2, delayMs: 0 });
  expect(nextTry(tries, tried("b", 2), passing)).toEqual({ agent: "c", attempt: 3, delayMs: 0 });
  expect(nextTry(tries, tried("c", 3), passing)).toBeUndefined();
});

test("a step that belongs to no agent is tried again like any other", () => {
  const none = { ...own, agent: undefined };
  expect(nextTry(none, tried(undefined, 1), passing)).toEqual({
    agent: undefined,
    attempt: 2,
    delayMs: 100,
  });
});
