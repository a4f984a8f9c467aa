import { expect, test } from "vitest";
import { createCuttableStore } from "../../../../src/testing/journal-cuts.ts";
import {
  defineStepWorkflow,
  resumeInMemory,
  startStepsInMemory,
} from "../../../../src/testing/run-workflow-in-memory.ts";
import { dataIn } from "../../../programs/steps/flow-data.ts";

const ask = (id: string) => ({ id, type: "agent", settings: { agent: "worker" } });
const child = defineStepWorkflow({
  name: "child",
  agents: [{ id: "worker" }],
  steps: [
    { ...ask("one"), routes: { next: "two" } },
    { ...ask("two"), routes: { next: "three" } },
    ask("three"),
  ],
});
const parent = {
  workflows: { child },
  steps: [
    {
      id: "review",
      type: "workflow",
      settings: { workflow: "child" },
      budget: { cost: 0.5 },
      routes: { on_error: "after" },
    },
    { id: "after", type: "transform", settings: { transform: "errors.review.code" } },
  ],
};

test("killed after any commit, the budget of a step that waits for a child stops it all the same, and only it [LIM-1.turns, ENG-12, ENG-2]", async () => {
  const store = createCuttableStore();
  const turns = { worker: [{ do: [{ usage: { costUsd: 0.3 } }], say: "ok" }] };
  const first = await startStepsInMemory(parent, { store, turns, input: "x" });
  await first.over();
  expect(store.moments).toBeGreaterThan(10);
  for (let moment = 1; moment < store.moments; moment += 1) {
    const cut = await store.cutAt(moment);
    const resumed = await resumeInMemory(first.run.id, { store: cut });
    const over = await resumed.over();
    const told = `cut at ${moment}`;
    expect(over.outcome, told).toBe("completed");
    expect(dataIn(over)["after"], told).toBe("LIMIT_COST");
    const use = over.state.budget.steps.get("review");
    expect(use?.turns, told).toBeGreaterThan(0);
    expect(use?.turns, told).toBeLessThan(3);
    expect(use?.cost, told).toBeLessThan(0.91);
    expect(over.state.budget.run.cost, told).toBe(use?.cost);
    expect(over.state.budget.reservations.size, told).toBe(0);
  }
});
