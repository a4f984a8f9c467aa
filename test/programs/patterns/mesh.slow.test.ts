import fc from "fast-check";
import { expect, test } from "vitest";
import { meshKind } from "../../../src/programs/patterns/mesh.ts";
import { toRoundPattern } from "../../../src/programs/talk/round-pattern.ts";
import {
  defineTestWorkflow,
  type TestWorkflow,
} from "../../../src/testing/define-test-workflow.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import {
  resumeInMemory,
  runWorkflowInMemory,
} from "../../../src/testing/run-workflow-in-memory.ts";
import { casesOf } from "../../cases.ts";
import { type Behaviour, behaviour, unrulyTeam } from "./unruly-agents.ts";

function meshOf(given: Behaviour, maxRounds: number): TestWorkflow {
  return {
    pattern: "mesh",
    agents: unrulyTeam(given).agents,
    turns: { maxAttempts: given.maxAttempts, retryDelayMs: 0 },
    options: { maxRounds },
  };
}

test("a mesh ends within its rounds whatever its peers do, completed only if all who are left said DONE [PAT-mesh, PAT-turns.bounded, PAT-ends.bounded, PAT-ends.completed]", async () => {
  await fc.assert(
    fc.asyncProperty(behaviour, fc.integer({ min: 1, max: 4 }), async (given, maxRounds) => {
      const workflow = meshOf(given, maxRounds);
      const { functions, turns } = unrulyTeam(given);
      const run = await runWorkflowInMemory(workflow, { task: "go", functions, turns });
      const { rounds, settled, ended } = Object(run.result?.metadata);
      expect(["completed", "limit-reached", "failed"]).toContain(run.outcome);
      expect(rounds).toBeLessThanOrEqual(maxRounds);
      expect(["done", "rounds", "stalled"]).toContain(ended);
      const left = new Set(run.all("step-failed").map(({ step }) => step));
      const present = workflow.agents.map(({ id }) => id).filter((id) => !left.has(id));
      const allDone = present.every((id) => settled.includes(id));
      const wanted = allDone ? "completed" : "limit-reached";
      expect(run.outcome).toBe(present.length === 0 ? "failed" : wanted);
      const { least = 0, most = null } =
        toRoundPattern(meshKind).turns?.(defineTestWorkflow(workflow)) ?? {};
      const started = run.all("turn-started").length;
      expect(started).toBeLessThanOrEqual((most ?? 0) * given.maxAttempts);
      expect(started).toBeGreaterThanOrEqual(least);
    }),
    { numRuns: casesOf(2000) },
  );
}, 600_000);

test("a mesh that dies after any commit comes to the same end [ENG-2]", async () => {
  const workflow: TestWorkflow = {
    pattern: "mesh",
    agents: [{ id: "a" }, { id: "b" }, { id: "c" }],
    turns: { maxAttempts: 1, retryDelayMs: 0 },
    options: { maxRounds: 3 },
  };
  const turns = {
    a: [{ say: "I read" }, { say: "DONE: a" }, { say: "DONE: a again" }],
    b: [{ say: "DONE: b" }],
    c: [{ say: "FAILED: no" }],
  };
  const store = createCuttableStore();
  const whole = await runWorkflowInMemory(workflow, { store, task: "go", turns });
  const wanted = { outcome: whole.outcome, metadata: whole.result?.metadata };
  expect(wanted).toMatchObject({ outcome: "completed", metadata: { settled: ["a", "b"] } });
  for (const seq of store.commits(whole.id).slice(0, -1)) {
    const resumed = await resumeInMemory(whole.id, { store: await store.cutAfter(whole.id, seq) });
    const { outcome, result } = await resumed.over();
    expect({ outcome, metadata: result?.metadata }, `after event ${seq}`).toEqual(wanted);
  }
}, 120_000);
