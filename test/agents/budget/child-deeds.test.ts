import { expect, test } from "vitest";
import type { Budget } from "../../../src/contracts/budget.ts";
import type { Json } from "../../../src/foundation/json.ts";
import {
  defineStepWorkflow,
  runStepsInMemory,
  type TestFlowStep,
} from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";

/** A turn that tries to post so many messages. */
const posts = (count: number): Json => ({
  do: Array.from({ length: count }, () => ({
    call: { tool: "channel_send", arguments: { message: "look" } },
  })),
  say: "DONE: ok",
});

const ask = (id: string, next?: string): TestFlowStep => ({
  ...{ id, type: "agent", settings: { agent: "talker" } },
  ...(next === undefined ? {} : { routes: { next } }),
});
const agents = [{ id: "talker" }];
const once = defineStepWorkflow({ name: "once", agents, steps: [ask("one")] });
const twice = defineStepWorkflow({
  name: "twice",
  agents,
  steps: [ask("one", "two"), ask("two")],
});

function runs(workflow: string, id: string, budget?: Budget): TestFlowStep {
  const step = { id, type: "workflow", settings: { workflow }, routes: { on_error: "after" } };
  return budget === undefined ? step : { ...step, budget };
}
const after: TestFlowStep = { id: "after", type: "transform", settings: { transform: "errors" } };

function messagesOf({ state: { budget } }: FinishedRun, step: string): number | undefined {
  return budget.steps.get(step)?.messages;
}

test("messages of a child count for the run above in the moment in which they are posted, each once [LIM-1.hand-offs, ENG-12]", async () => {
  const start = (messages: number) =>
    runStepsInMemory(
      { workflows: { twice }, steps: [runs("twice", "review"), after] },
      { turns: { talker: [posts(1), posts(3)] }, input: "x", budget: { messages } },
    );
  const bounded = await start(2);
  expect(bounded.outcome).toBe("limit-reached");
  expect(bounded.state.budget.run.messages).toBe(2);
  const child = [...bounded.state.children.values()][0]?.child;
  expect(bounded.all("budget-exceeded")).toMatchObject([
    { of: "run", meter: "messages", limit: 2, spent: 2, agent: "talker", turn: 2, child },
  ]);
  const enough = await start(9);
  expect([enough.outcome, enough.state.budget.run.messages]).toEqual(["completed", 4]);
});

test("a step that waits for a child counts the messages of that one, and of no other child [LIM-1.hand-offs, ENG-12]", async () => {
  const sides: TestFlowStep = {
    id: "sides",
    type: "parallel",
    settings: {},
    steps: [
      { ...runs("once", "narrow", { messages: 1 }), routes: {} },
      { ...runs("once", "wide", { messages: 4 }), routes: {} },
    ],
  };
  const run = await runStepsInMemory(
    { workflows: { once }, steps: [sides] },
    { turns: { talker: [posts(3)] }, input: "x" },
  );
  expect([messagesOf(run, "narrow"), messagesOf(run, "wide")]).toEqual([1, 3]);
  expect(run.all("budget-exceeded")).toMatchObject([
    { of: "step", step: "narrow", meter: "messages", limit: 1, spent: 1 },
  ]);
});

test("what a run two levels below does counts at the top, which is told the child of its own through which it came [LIM-1.hand-offs, ENG-12]", async () => {
  const middle = defineStepWorkflow({
    name: "middle",
    workflows: { once },
    steps: [{ ...runs("once", "inner"), routes: {} }],
  });
  const run = await runStepsInMemory(
    { workflows: { middle }, steps: [runs("middle", "outer", { messages: 2 }), after] },
    { turns: { talker: [posts(5)] }, input: "x" },
  );
  expect(messagesOf(run, "outer")).toBe(2);
  const [child] = [...run.state.children.values()];
  expect(run.all("budget-exceeded")).toMatchObject([
    { of: "step", step: "outer", meter: "messages", spent: 2, child: child?.child },
  ]);
});

test("a child that is over counts with what it has told alone [LIM-1.hand-offs, ENG-12]", async () => {
  const run = await runStepsInMemory(
    {
      workflows: { once },
      steps: [
        { ...runs("once", "first"), routes: { next: "second", on_error: "after" } },
        runs("once", "second"),
        after,
      ],
    },
    { turns: { talker: [posts(2)] }, input: "x", budget: { messages: 4 } },
  );
  expect([run.outcome, run.state.budget.run.messages]).toEqual(["completed", 4]);
  expect(run.all("budget-exceeded")).toEqual([]);
});
