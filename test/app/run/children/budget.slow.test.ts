import { expect, test } from "vitest";
import type { RunState } from "../../../../src/fold/state/run-state.ts";
import { createMemoryStore } from "../../../../src/journal/memory-store.ts";
import { defineTestWorkflow } from "../../../../src/testing/define-test-workflow.ts";
import { createCuttableStore } from "../../../../src/testing/journal-cuts.ts";
import { type FamilyOptions, outputOf, resumeFamily, startFamily } from "./family.ts";

const costly = defineTestWorkflow({
  name: "costly",
  agents: [{ id: "worker" }],
  steps: [
    { id: "one", agent: "worker", prompt: "x" },
    { id: "two", agent: "worker", prompt: "x", dependsOn: ["one"] },
  ],
});

/** Four turns of 0.3 USD: two in each of two children, one child after the other. */
const twoAfterAnother: FamilyOptions = {
  workflows: { costly },
  turns: { worker: [{ do: [{ usage: { costUsd: 0.3 } }], say: "DONE: ok" }] },
  program: async (context) => {
    const first = await context.child({ workflow: "costly", input: null });
    const second = await context.child({ workflow: "costly", input: null });
    return [first.outcome, second.outcome];
  },
};

function reserved(state: RunState): number {
  return state.budget.reservations.size;
}

test("the budget of a run counts the turns of its children, stops them all and goes on with more [ENG-12, LIM-1.turns]", async () => {
  const store = createMemoryStore();
  const first = await startFamily({ ...twoAfterAnother, store, budget: { cost: 0.8 } });
  const stopped = await first.root.over();
  expect(stopped.parting).toMatchObject({
    event: { type: "run-ended", outcome: "limit-reached", resumable: true },
  });
  expect(stopped.state.budget.run.cost).toBeCloseTo(0.9);
  expect(stopped.state.budget.run.turns).toBe(3);
  expect(reserved(stopped.state)).toBe(0);
  expect(first.children().map(({ phase }) => phase)).toMatchObject([
    { status: "ended", outcome: "completed" },
    { status: "suspended" },
  ]);
  const second = await resumeFamily({ ...twoAfterAnother, store, limits: { budget: { cost: 5 } } });
  const over = await second.root.over();
  expect(outputOf(over.state)).toEqual(["completed", "completed"]);
  expect(over.state.budget.run).toMatchObject({ turns: 4, isEstimate: false });
  expect(over.state.budget.run.cost).toBeCloseTo(1.2);
});

test("children side by side cannot go beyond the budget of the run together [ENG-12, LIM-1.turns]", async () => {
  const family = await startFamily({
    ...twoAfterAnother,
    budget: { turns: 3 },
    program: async (context) => {
      const one = (name: string) =>
        context.scope(name, (scope) => scope.child({ workflow: "costly", input: null })).result;
      await Promise.all([one("left"), one("right"), one("middle")]);
      return null;
    },
  });
  const over = await family.root.over();
  expect(over.outcome).toBe("limit-reached");
  expect(over.state.budget.run.turns).toBe(3);
  expect(over.all("budget-reserved")).toHaveLength(3);
  expect(over.all("budget-settled")).toHaveLength(3);
});

test("a child that stops at a limit of its own stops the run, and a higher one at resume is the child's [ENG-12, LIM-1.turns]", async () => {
  const store = createMemoryStore();
  const options = {
    ...twoAfterAnother,
    workflows: { costly: { ...costly, budget: { turns: 1 } } },
  };
  const first = await startFamily({ ...options, store });
  const stopped = await first.root.over();
  expect(stopped.parting).toMatchObject({
    event: { outcome: "limit-reached", resumable: true, error: { code: "LIMIT_TURNS" } },
  });
  expect(stopped.state.run.limits.budget).toBeUndefined();
  const second = await resumeFamily({ ...options, store, limits: { budget: { turns: 2 } } });
  const again = await second.root.over();
  expect(second.children().map(({ phase }) => phase)).toMatchObject([
    { status: "ended", outcome: "completed" },
    { status: "ended", outcome: "limit-reached" },
  ]);
  const third = await resumeFamily({ ...options, store, limits: { budget: { turns: 2 } } });
  const over = await third.root.over();
  expect(again.outcome).toBe("limit-reached");
  expect(outputOf(over.state)).toEqual(["completed", "completed"]);
});

test("killed after any commit, the budget of a run counts each turn of its children at least as much as it took [ENG-12, LIM-1.turns]", async () => {
  const store = createCuttableStore();
  const budget = { cost: 5 };
  const whole = await startFamily({ ...twoAfterAnother, store, budget });
  await whole.root.over();
  for (let moment = 1; moment < store.moments; moment += 1) {
    const cut = await store.cutAt(moment);
    const resumed = await resumeFamily({ ...twoAfterAnother, store: cut });
    const { state } = await resumed.root.over();
    expect(state.budget.run.turns, `cut at ${moment}`).toBe(4);
    // A turn whose owner died counts with what was set aside for it, and once more when it starts again.
    expect(state.budget.run.cost, `cut at ${moment}`).toBeGreaterThan(1.19);
    expect(state.budget.run.cost, `cut at ${moment}`).toBeLessThan(1.75);
    expect(reserved(state), `cut at ${moment}`).toBe(0);
  }
});
