import { expect, test } from "vitest";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";

const agents = ["plan", "build", "check"].map((id) => ({ id }));
const steps = agents.map(({ id }) => ({ id, prompt: `do ${id}` }));

test("stages run in the order of the list, each with the output of the one before [PAT-pipeline]", async () => {
  const run = await runWorkflowInMemory(
    { pattern: "pipeline", agents, steps },
    {
      turns: {
        plan: [{ say: "notes\nDONE: the plan" }],
        build: [{ expect: "the plan", say: "DONE: the house" }],
        check: [{ expect: "the house", say: "DONE: it stands" }],
      },
    },
  );
  expect(run.outcome).toBe("completed");
  expect(run.all("step-completed").map((event) => event.step)).toEqual(["plan", "build", "check"]);
  expect(run.result?.output).toBe("it stands");
  expect(run.result?.metadata).toEqual({
    stages: [
      { name: "plan", summary: "the plan" },
      { name: "build", summary: "the house" },
      { name: "check", summary: "it stands" },
    ],
  });
});

test("a stage that wants no previous output gets none [PAT-pipeline]", async () => {
  const prompts: string[] = [];
  await runWorkflowInMemory(
    {
      pattern: "pipeline",
      agents: agents.slice(0, 2),
      steps: [{ id: "plan" }, { id: "build", receivesPreviousOutput: false }],
    },
    {
      task: "the task",
      turns: { plan: [{ say: "DONE: secret plan" }] },
      onTaskAugmented: (_agent, text) => prompts.push(text),
    },
  );
  expect(prompts).toHaveLength(2);
  expect(prompts[1]).not.toContain("secret plan");
});

test("a failed stage halts the rest, and the run has failed [PAT-pipeline, ENG-11]", async () => {
  const run = await runWorkflowInMemory(
    { pattern: "pipeline", agents, steps },
    { turns: { build: [{ say: "BLOCKED: no wood" }] } },
  );
  expect(run.outcome).toBe("failed");
  expect([...run.state.steps.byPath.values()].map(({ step, status }) => [step, status])).toEqual([
    ["plan", "completed"],
    ["build", "failed"],
    ["check", "blocked"],
  ]);
  expect(run.all("turn-started").map((event) => event.agent)).toEqual(["plan", "build"]);
});

test("with onFailure: continue the next stage starts after a failed one; the run has failed all the same [WF-10.on-failure, ENG-11]", async () => {
  const run = await runWorkflowInMemory(
    { pattern: "pipeline", agents, steps, onFailure: "continue" },
    { turns: { build: [{ say: "FAILED: no wood" }] } },
  );
  expect(run.outcome).toBe("failed");
  expect(run.all("step-completed").map((event) => event.step)).toEqual(["plan", "check"]);
});
