import { expect, test } from "vitest";
import type { Budget } from "../../../src/contracts/budget.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { createMemoryStore } from "../../../src/journal/memory-store.ts";
import {
  defineStepWorkflow,
  runStepsInMemory,
  type TestFlowStep,
} from "../../../src/testing/run-workflow-in-memory.ts";
import { dataIn, failuresIn } from "./flow-data.ts";

const ask = (id: string, agent = "worker"): TestFlowStep => ({
  id,
  type: "agent",
  settings: { agent },
});
const costing = (costUsd: number): Json => [{ do: [{ usage: { costUsd } }], say: "DONE: ok" }];
const after: TestFlowStep = { id: "after", type: "transform", settings: { transform: "errors" } };

/** A step around others, with a budget, that another step stands by for. */
function bounded(step: TestFlowStep, budget: Budget): readonly TestFlowStep[] {
  return [{ ...step, budget, routes: { on_error: "after" } }, after];
}

test("a loop whose budget is used up fails with that limit instead of going further rounds [LIM-1.turns, STP-1]", async () => {
  const loop: TestFlowStep = {
    id: "refine",
    type: "loop",
    settings: { until: "false", max_iterations: 50 },
    steps: [ask("draft")],
  };
  const run = await runStepsInMemory(
    { agents: [{ id: "worker" }], steps: bounded(loop, { cost: 0.8 }) },
    { turns: { worker: costing(0.3) } },
  );
  expect(run.outcome).toBe("completed");
  expect(dataIn(run)["after"]).toMatchObject({ refine: { code: "LIMIT_COST" } });
  expect(run.all("turn-completed")).toHaveLength(3);
  expect(failuresIn(run)).toEqual({ "refine[4]/draft": "LIMIT_COST", refine: "LIMIT_COST" });
  expect(run.all("budget-exceeded")).toMatchObject([
    { of: "step", step: "refine", meter: "cost", limit: 0.8, agent: "worker" },
  ]);
  expect(run.all("budget-reserved")).toMatchObject(
    Array.from({ length: 3 }, () => ({ step: "draft", around: ["refine"] })),
  );
  expect(run.state.budget.steps.get("refine")).toMatchObject({ turns: 3 });
  expect(run.state.budget.steps.get("refine")?.cost).toBeCloseTo(0.9);
});

test("steps side by side take no more turns than the budget around them has [LIM-1.turns, STP-7]", async () => {
  const ids = ["a", "b", "c", "d", "e"];
  const parallel = (settings: { readonly [key: string]: Json }): TestFlowStep => ({
    id: "look",
    type: "parallel",
    settings,
    steps: ids.map((id) => ask(id, id)),
  });
  const start = (settings: { readonly [key: string]: Json }) =>
    runStepsInMemory(
      { agents: ids.map((id) => ({ id })), steps: bounded(parallel(settings), { turns: 3 }) },
      { turns: Object.fromEntries(ids.map((id) => [id, costing(0.1)])) },
    );
  const strict = await start({});
  expect(strict.all("turn-started")).toHaveLength(3);
  expect(dataIn(strict)["after"]).toMatchObject({ look: { code: "LIMIT_TURNS" } });
  // What its successes are enough for does not fail.
  const lenient = await start({ min_success: 3 });
  expect(lenient.all("turn-started")).toHaveLength(3);
  expect(Object.keys(failuresIn(lenient))).toEqual(["look/d", "look/e"]);
  expect(lenient.outcome).toBe("completed");
});

test("a limit further out ends every loop up to its owner [LIM-1.turns, STP-1]", async () => {
  const loop = (id: string, steps: readonly TestFlowStep[]): TestFlowStep => ({
    id,
    type: "loop",
    settings: { until: "false", max_iterations: 20 },
    steps,
  });
  const run = await runStepsInMemory(
    {
      agents: [{ id: "worker" }],
      steps: bounded(loop("outer", [loop("inner", [ask("draft")])]), { turns: 2 }),
    },
    { turns: { worker: costing(0.1) } },
  );
  expect(failuresIn(run)).toEqual({
    "outer[1]/inner[3]/draft": "LIMIT_TURNS",
    "outer[1]/inner": "LIMIT_TURNS",
    outer: "LIMIT_TURNS",
  });
});

test("what a step inside of a loop may use ends its rounds, and the loop decides what that means [LIM-1.turns, STP-1]", async () => {
  const loop: TestFlowStep = {
    id: "refine",
    type: "loop",
    settings: { until: "context.draft.success == false" },
    steps: [{ ...ask("draft"), budget: { turns: 2 } }],
  };
  const run = await runStepsInMemory(
    { agents: [{ id: "worker" }], steps: [loop] },
    { turns: { worker: costing(0.1) } },
  );
  expect(failuresIn(run)).toEqual({ "refine[3]/draft": "LIMIT_TURNS" });
  expect(run.outcome).toBe("completed");
});

test("the budget of a pattern step counts the turns of all its agents [LIM-1.turns, STP-1]", async () => {
  const pattern: TestFlowStep = {
    id: "design",
    type: "pattern",
    settings: { pattern: "pipeline", agents: ["a", "b", "c"], task: "x" },
  };
  const run = await runStepsInMemory(
    { agents: ["a", "b", "c"].map((id) => ({ id })), steps: bounded(pattern, { cost: 0.5 }) },
    { turns: Object.fromEntries(["a", "b", "c"].map((id) => [id, costing(0.3)])) },
  );
  expect(run.all("turn-completed").map(({ agent }) => agent)).toEqual(["a", "b"]);
  expect(dataIn(run)["after"]).toMatchObject({ design: { code: "LIMIT_COST" } });
  expect(run.outcome).toBe("completed");
});

test("agents are told of the limit around their step that comes near [LIM-1.turns]", async () => {
  const loop: TestFlowStep = {
    id: "refine",
    type: "loop",
    settings: { times: 3 },
    steps: [ask("draft")],
  };
  const run = await runStepsInMemory(
    { agents: [{ id: "worker" }], steps: bounded(loop, { turns: 3, soft: 0.6 }) },
    { turns: { worker: costing(0.1) } },
  );
  expect(run.outcome).toBe("completed");
  expect(run.all("budget-warned")).toMatchObject([
    { of: "step", step: "refine", meter: "turns", limit: 3, spent: 2, cause: "soft" },
  ]);
});

const child = defineStepWorkflow({
  name: "child",
  agents: [{ id: "worker" }],
  steps: [
    { ...ask("review"), routes: { next: "second" } },
    { ...ask("second"), routes: { next: "third" } },
    ask("third"),
  ],
});

test("the budget of a step that runs a workflow counts the turns of the child [LIM-1.turns, STP-1, ENG-12]", async () => {
  const start = (around: (step: TestFlowStep) => TestFlowStep) =>
    runStepsInMemory(
      {
        workflows: { child },
        steps: bounded(
          around({ id: "review", type: "workflow", settings: { workflow: "child" } }),
          {
            cost: 0.5,
          },
        ),
      },
      { turns: { worker: costing(0.3) }, input: "x" },
    );
  const direct = await start((step) => step);
  expect(direct.outcome).toBe("completed");
  expect(dataIn(direct)["after"]).toMatchObject({ review: { code: "LIMIT_COST" } });
  expect(dataIn(direct)["review"]).toMatchObject({
    outcome: "failed",
    path: ["review", "second", "third"],
  });
  expect(direct.all("budget-exceeded")).toMatchObject([
    { of: "step", step: "review", child: expect.stringMatching(/^run_/) },
  ]);
  expect(direct.state.budget.steps.get("review")).toMatchObject({ turns: 2 });
  expect(direct.state.budget.steps.get("review")?.cost).toBeCloseTo(0.6);
  expect(direct.state.budget.reservations.size).toBe(0);
  // The step in the child has the name of the step around it here: each counts for itself.
  const looped = await start((step) => ({
    id: "refine",
    type: "loop",
    settings: { until: "false", max_iterations: 9 },
    steps: [step],
  }));
  expect(dataIn(looped)["after"]).toMatchObject({ refine: { code: "LIMIT_COST" } });
  expect(looped.all("child-started")).toHaveLength(1);
});

test("a limit of a step ends what goes round in the runs below it [LIM-1.turns, ENG-12]", async () => {
  const leaf = defineStepWorkflow({
    name: "leaf",
    agents: [{ id: "worker" }],
    steps: [ask("work")],
  });
  const rounds = defineStepWorkflow({
    name: "rounds",
    workflows: { leaf },
    steps: [
      {
        id: "again",
        type: "loop",
        settings: { until: "false", max_iterations: 30 },
        steps: [{ id: "sub", type: "workflow", settings: { workflow: "leaf" }, maxAttempts: 3 }],
      },
    ],
  });
  const store = createMemoryStore();
  const step: TestFlowStep = { id: "review", type: "workflow", settings: { workflow: "rounds" } };
  const run = await runStepsInMemory(
    { workflows: { rounds }, steps: bounded(step, { turns: 2 }) },
    { turns: { worker: costing(0.3) }, input: "x", store },
  );
  expect(dataIn(run)["after"]).toMatchObject({ review: { code: "LIMIT_TURNS" } });
  // Itself, the one below, and under that two that worked and one that found no room.
  expect(store.list()).toHaveLength(5);
});

test("a workflow that fails for another reason than the limit is told with that reason [LIM-1.turns, ENG-12]", async () => {
  const failing = defineStepWorkflow({
    name: "child",
    agents: [{ id: "worker" }],
    steps: [
      { ...ask("one"), routes: { next: "two" } },
      { id: "two", type: "transform", settings: { transform: "context.nothing" } },
    ],
  });
  const step: TestFlowStep = { id: "review", type: "workflow", settings: { workflow: "child" } };
  const run = await runStepsInMemory(
    { workflows: { child: failing }, steps: bounded(step, { turns: 1 }) },
    { turns: { worker: costing(0.3) }, input: "x" },
  );
  expect(dataIn(run)["after"]).toMatchObject({ review: { code: "STEP_WORKFLOW_FAILED" } });
});

test("the time of a child's turns counts for the step that waits for it [LIM-1.turns, ENG-12]", async () => {
  const slow: Json = [{ after: "40ms", say: "DONE: ok" }];
  const step: TestFlowStep = { id: "review", type: "workflow", settings: { workflow: "child" } };
  const run = await runStepsInMemory(
    { workflows: { child }, steps: bounded(step, { wallClockMs: 60 }) },
    { turns: { worker: slow }, input: "x" },
  );
  expect(dataIn(run)["after"]).toMatchObject({ review: { code: "LIMIT_TIME" } });
  // More than one turn of 40 ms alone. Timers may fire up to 1 ms early, so this is not 60 sharp.
  expect(run.state.budget.steps.get("review")?.workedMs).toBeGreaterThan(55);
});
