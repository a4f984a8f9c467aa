import fc from "fast-check";
import { expect, test } from "vitest";
import { handoffPattern } from "../../../src/programs/patterns/handoff.ts";
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
import { behaviour, unrulyTeam } from "./unruly-agents.ts";

const bounds = fc.record({
  maxHandoffs: fc.integer({ min: 0, max: 4 }),
  hasFallback: fc.boolean(),
});

test("a task has one holder at a time and ends within its hand-overs whatever the holders do [PAT-handoff, PAT-turns.bounded, PAT-ends.bounded]", async () => {
  await fc.assert(
    fc.asyncProperty(behaviour, bounds, async (given, { maxHandoffs, hasFallback }) => {
      const { agents, functions, turns } = unrulyTeam(given);
      const fallback = hasFallback ? { fallback: agents.at(-1)?.id ?? "" } : {};
      const workflow: TestWorkflow = {
        pattern: "handoff",
        agents,
        turns: { maxAttempts: given.maxAttempts, retryDelayMs: 0 },
        options: { maxHandoffs, ...fallback },
      };
      const run = await runWorkflowInMemory(workflow, { task: "go", functions, turns });
      const { path, handoffs, finishedBy } = Object(run.result?.metadata);
      expect(["completed", "limit-reached", "failed"]).toContain(run.outcome);
      expect(finishedBy).toBe(run.outcome === "completed" ? path.at(-1) : null);
      expect(path).toHaveLength(handoffs.length + 1);
      // The failure of a holder goes to the fallback also when nothing is left.
      expect(handoffs.length).toBeLessThanOrEqual(maxHandoffs + (hasFallback ? 1 : 0));
      const { most = null } = handoffPattern.turns?.(defineTestWorkflow(workflow)) ?? {};
      const steps = run.all("step-started").filter(({ attempt }) => attempt === 1);
      expect(steps.length).toBeLessThanOrEqual((most ?? 0) + (hasFallback ? 2 : 0));
      let working = 0;
      for (const { type } of run.events) {
        if (type === "turn-started") working += 1;
        if (type === "turn-completed" || type === "turn-failed") working -= 1;
        expect(working).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: casesOf(2000) },
  );
}, 600_000);

test("a chain that dies after any commit comes to the same end [ENG-2]", async () => {
  const workflow: TestWorkflow = {
    pattern: "handoff",
    agents: [{ id: "a" }, { id: "b" }, { id: "c" }],
    turns: { maxAttempts: 1, retryDelayMs: 0 },
    options: { fallback: "c", maxHandoffs: 3 },
  };
  const turns = {
    a: [{ say: "HANDOFF: b yours" }, { say: "hm" }, { say: "HANDOFF: nobody" }],
    b: [{ say: "HANDOFF: a back" }],
    c: [{ say: "HANDOFF: a no" }, { say: "DONE: c" }],
  };
  const store = createCuttableStore();
  const whole = await runWorkflowInMemory(workflow, { store, task: "go", turns });
  const wanted = { outcome: whole.outcome, metadata: whole.result?.metadata };
  expect(wanted).toMatchObject({ outcome: "completed", metadata: { path: ["a", "b", "a", "c"] } });
  for (const seq of store.commits(whole.id).slice(0, -1)) {
    const resumed = await resumeInMemory(whole.id, { store: await store.cutAfter(whole.id, seq) });
    const { outcome, result } = await resumed.over();
    expect({ outcome, metadata: result?.metadata }, `after event ${seq}`).toEqual(wanted);
  }
}, 120_000);
