import fc from "fast-check";
import { expect, test } from "vitest";
import { hubSpokeKind } from "../../../src/programs/patterns/hub-spoke.ts";
import { toHubPattern } from "../../../src/programs/talk/hub-pattern.ts";
import { defineTestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { casesOf } from "../../cases.ts";
import {
  chaos,
  chaosWorkflow,
  expectInvariants,
  plainTexts,
  sayingFunction,
} from "./woken-chaos.ts";
import { resumeWoken, runWoken, type WokenRun } from "./woken-run.ts";

const agents = [{ id: "lead", role: "hub" as const }, { id: "a" }, { id: "b" }, { id: "c" }];

test("whatever hub and workers do, it ends within its bounds, truthfully [PAT-hub-spoke]", async () => {
  const options = fc.record({ assign: fc.boolean(), peers: fc.boolean() });
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(chaos, options, async (given, options) => {
      const workflow = { ...chaosWorkflow(given, { pattern: "hub-spoke", agents }), options };
      const run = await runWoken(workflow, { task: "x", turns: given.turns });
      expectInvariants(run, given, "lead");
      seen.add(run.outcome);
    }),
    { numRuns: casesOf(1500) },
  );
  expect([...seen].toSorted()).toEqual(["completed", "failed", "limit-reached"]);
}, 300_000);

test("with functions as hub and worker it ends as well, and asks them for nothing twice [PAT-hub-spoke]", async () => {
  const plain = [
    { id: "lead", role: "hub" as const, backend: "function" },
    { id: "a" },
    { id: "b", backend: "function" },
  ];
  await fc.assert(
    fc.asyncProperty(chaos, plainTexts, plainTexts, async (given, hub, worker) => {
      const workflow = chaosWorkflow(given, { pattern: "hub-spoke", agents: plain });
      const functions = { lead: sayingFunction(hub), b: sayingFunction(worker) };
      const run = await runWoken(workflow, { task: "x", turns: given.turns, functions });
      expect(["completed", "failed", "limit-reached"]).toContain(run.outcome);
      if (run.outcome === "completed") expect(hub).toContain("DONE");
      const prompts = run.all("operation-scheduled").map(({ input }) => JSON.stringify(input));
      const told = prompts.filter((input) => input.includes('"agent":"lead","prompt"'));
      expect(told.join()).not.toContain("Nobody works any more");
    }),
    { numRuns: casesOf(300) },
  );
}, 120_000);

test("wherever such a run dies, it goes on to an end within its bounds [PAT-hub-spoke]", async () => {
  await fc.assert(
    fc.asyncProperty(chaos, fc.double({ min: 0, max: 1, noNaN: true }), async (given, share) => {
      const store = createCuttableStore();
      const workflow = chaosWorkflow(given, { pattern: "hub-spoke", agents });
      const whole = await runWoken(workflow, { store, task: "x", turns: given.turns });
      const commits = store.commits(whole.id);
      const seq = commits[Math.floor(share * (commits.length - 2))] ?? 1;
      const run = await resumeWoken(whole.id, { store: await store.cutAfter(whole.id, seq) });
      expect(["completed", "failed", "limit-reached"]).toContain(run.outcome);
    }),
    { numRuns: casesOf(300) },
  );
}, 120_000);

test("a run without failures takes as many turns as its pattern says [PAT-hub-spoke]", async () => {
  const bounds = { turnsPerAgent: 6, messages: 500, pingPong: 6 };
  const workflow = {
    ...{ pattern: "hub-spoke", agents, bounds, options: { canSpawn: false } },
    turns: { maxAttempts: 1, retryDelayMs: 0 },
  };
  const estimate = toHubPattern(hubSpokeKind).turns?.(defineTestWorkflow(workflow));
  expect(estimate).toEqual({
    least: 4,
    most: 26,
    basis: "1 hub + 3 workers, woken by messages, at most 6 times each",
  });
  const text = fc.constantFrom("hm", "@lead well?", "@a @b so?", "DONE: x");
  const lines = fc.record(
    Object.fromEntries(
      agents.map(({ id }) => [
        id,
        fc.array(text, { minLength: 1, maxLength: 4 }).map((said) => {
          return { repeat: "cycle", turns: said.map((say) => ({ say })) };
        }),
      ]),
    ),
  );
  await fc.assert(
    fc.asyncProperty(lines, async (turns) => {
      const run = await runWoken(workflow, { task: "x", turns });
      const total = run.all("turn-completed").length;
      expect(total).toBeLessThanOrEqual(estimate?.most ?? 0);
      const { unfinished = [] } = run.result?.metadata ?? {};
      if (run.outcome === "completed" && JSON.stringify(unfinished) === "[]")
        expect(total).toBeGreaterThanOrEqual(estimate?.least ?? 0);
    }),
    { numRuns: casesOf(300) },
  );
}, 120_000);

/** What must be the same whether or not an owner died on the way. */
function essence(run: WokenRun) {
  const { output, metadata } = run.result ?? {};
  const steps = [...run.state.steps.byPath.values()].map(({ path, status, execution }) => {
    return `${path} ${status} ${execution}`;
  });
  return {
    outcome: run.outcome,
    reason: run.reason,
    output,
    metadata,
    steps: steps.toSorted(),
    said: run.state.messages.recent.map(({ from, text }) => `${from}: ${text}`).toSorted(),
  };
}

test("a run that dies after any commit comes to the same end, and says nothing twice [PAT-hub-spoke, ENG-2]", async () => {
  const store = createCuttableStore();
  const broken = { fail: { code: "X", message: "no disk", retryable: false } };
  const whole = await runWoken(
    { pattern: "hub-spoke", agents },
    {
      store,
      task: "x",
      turns: {
        lead: [
          { say: "go" },
          { expect: "c takes part no more", say: "a pity" },
          { expect: "1s", say: "DONE: early" },
          { expect: "Still open: b", say: "@b and you?" },
          { expect: "3s", say: "DONE: fine" },
        ],
        a: [{ after: "1s", say: "DONE: after 1s" }],
        b: [
          { after: "2s", say: "PROGRESS: 50% half" },
          { after: "1s", say: "DONE: after 3s" },
        ],
        c: [broken],
      },
    },
  );
  const wanted = essence(whole);
  expect(wanted.outcome).toBe("completed");
  const commits = store.commits(whole.id);
  for (const seq of commits.slice(0, -1)) {
    const cut = await store.cutAfter(whole.id, seq);
    expect(essence(await resumeWoken(whole.id, { store: cut })), `after event ${seq}`).toEqual(
      wanted,
    );
  }
}, 120_000);
