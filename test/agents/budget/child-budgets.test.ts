import { expect, test } from "vitest";
import { isTold, useOfRun } from "../../../src/agents/budget/child-budgets.ts";
import type { ChildUse } from "../../../src/contracts/budget.ts";
import {
  defineStepWorkflow,
  runStepsInMemory,
  type TestFlowStep,
} from "../../../src/testing/run-workflow-in-memory.ts";

const USE: ChildUse = {
  ...{ cost: 1, tokens: 2, turns: 3, messages: 4, agents: 5, handoffs: 6, workedMs: 7 },
  isEstimate: true,
};
const NOTHING: ChildUse = {
  ...{ cost: 0, tokens: 0, turns: 0, messages: 0, agents: 0, handoffs: 0, workedMs: 0 },
  isEstimate: false,
};

test("a run above is told again when any of what a child has used is another [ENG-12, LIM-1.turns]", () => {
  expect(isTold(USE, USE)).toBe(true);
  const others: readonly Partial<ChildUse>[] = [
    ...[{ cost: 9 }, { tokens: 9 }, { turns: 9 }, { messages: 9 }, { agents: 9 }],
    ...[{ handoffs: 9 }, { workedMs: 9 }, { isEstimate: false }],
  ];
  for (const other of others) {
    expect(isTold(USE, { ...USE, ...other }), JSON.stringify(other)).toBe(false);
    expect(isTold({ ...USE, ...other }, USE), JSON.stringify(other)).toBe(false);
  }
});

test("of a child that has used nothing nobody has to be told, nor again of one whose journal does not count hand-overs [ENG-12]", () => {
  expect(isTold(undefined, NOTHING)).toBe(true);
  expect(isTold(undefined, { ...NOTHING, isEstimate: true })).toBe(false);
  const { handoffs: _, ...before } = NOTHING;
  expect(isTold(before, before)).toBe(true);
  expect(isTold(before, NOTHING)).toBe(true);
});

test("what a run has used is told whole [ENG-12]", async () => {
  const run = await runStepsInMemory(
    { agents: [{ id: "a" }], steps: [{ id: "one", type: "agent", settings: { agent: "a" } }] },
    { turns: { a: [{ do: [{ usage: { costUsd: 0.5, inputTokens: 7 } }], say: "ok" }] } },
  );
  const { workedMs } = run.state.budget.run;
  const used = { cost: 0.5, tokens: 7, turns: 1, agents: 1 };
  expect(useOfRun(run.state)).toEqual({ ...NOTHING, ...used, workedMs });
});

const ask = (id: string): TestFlowStep => ({ id, type: "agent", settings: { agent: "worker" } });
const child = defineStepWorkflow({
  name: "child",
  agents: [{ id: "worker" }],
  steps: [{ ...ask("one"), routes: { next: "two" } }, ask("two")],
});

test("turns of a child are set aside above under names of their own, settled there, and warned of [ENG-12, LIM-1.turns]", async () => {
  const review: TestFlowStep = {
    ...{ id: "review", type: "workflow", settings: { workflow: "child" } },
    ...{ budget: { turns: 9 }, routes: {} },
  };
  const run = await runStepsInMemory(
    { workflows: { child }, steps: [review] },
    {
      turns: { worker: [{ do: [{ usage: { costUsd: 0.4 } }], say: "ok" }] },
      ...{ input: "x", budget: { cost: 0.9, soft: 0.4 } },
    },
  );
  expect(run.outcome).toBe("completed");
  const id = [...run.state.children.values()][0]?.child;
  const at = (turn: number) => ({
    ...{ reservation: `${id}:worker#${turn}@1`, agent: "worker", turn, child: id },
    ...{ step: turn === 1 ? "one" : "two", around: ["review"] },
  });
  const partsOf = (event: object) => {
    const { type: _type, seq: _seq, at: _at, workedMs: _worked, ...rest } = Object(event);
    return rest;
  };
  expect(run.all("budget-reserved").map(partsOf)).toEqual([
    { ...at(1), amounts: { cost: expect.closeTo(0.09), turns: 1 } },
    { ...at(2), amounts: { cost: 0.4, turns: 1 } },
  ]);
  const backend = "script";
  expect(run.all("budget-settled").map(partsOf)).toMatchObject([
    { ...at(1), backend, amounts: { cost: 0.4, turns: 1 } },
    { ...at(2), backend, amounts: { cost: 0.4, turns: 1 } },
  ]);
  expect(run.all("budget-warned")).toMatchObject([
    { of: "run", cause: "soft", meter: "cost", limit: 0.9, spent: 0.4 },
  ]);
  expect(run.state.budget.reservations.size).toBe(0);
});
