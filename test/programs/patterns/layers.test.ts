import { expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { loadPatterns } from "../../../src/programs/patterns/registry.ts";
import { defineTestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";

type Options = { readonly [key: string]: Json };
const turns = { maxAttempts: 1, retryDelayMs: 0 };

function held(pattern: string, said: Options, options: Options = {}) {
  const agents = Object.keys(said).map((id) => ({ id }));
  return runWorkflowInMemory({ pattern, agents, turns, options }, { task: "ask", turns: said });
}

function endOf({ events }: FinishedRun) {
  const end = events.findLast((event) => event.type === "run-ended");
  return { outcome: end?.outcome, reason: end?.reason };
}

test("all answer at once and one makes a single answer, told who did not answer [PAT-more.gather, PAT-more-2.gather]", async () => {
  const run = await held("scatter-gather", {
    a: [{ say: "DONE: red" }],
    b: [{ say: "FAILED: blind" }],
    c: [{ say: "DONE: blue" }],
    g: [{ expect: "b did not answer", say: "DONE: red and blue" }],
  });
  expect(endOf(run)).toEqual({ outcome: "completed", reason: "g made one answer of 2" });
  expect(run.result).toMatchObject({
    output: "red and blue",
    metadata: { layers: [{ layer: 1, answered: ["a", "c"] }] },
  });
});

test("each layer is told what all said in the one before, and the last is gathered [PAT-more.gather, PAT-more-2.gather]", async () => {
  const run = await held(
    "mixture-of-agents",
    {
      a: [
        { say: "DONE: 1" },
        { expect: "answer of b", say: "DONE: 3" },
        { expect: "5", say: "DONE: 7" },
      ],
      b: [
        { say: "DONE: 2" },
        { expect: "answer of a", say: "DONE: 5" },
        { expect: "3", say: "DONE: 8" },
      ],
      g: [{ expect: "7", say: "DONE: 15" }],
    },
    { layers: 3 },
  );
  expect(run.result).toMatchObject({ output: "15", metadata: { layers: [{}, {}, { layer: 3 }] } });
});

test("an answer of an earlier layer stands where nobody answers on top of it [PAT-more.gather, PAT-more-2.gather]", async () => {
  const run = await held("mixture-of-agents", {
    a: [{ say: "DONE: 1" }, { say: "FAILED: tired" }],
    g: [{ expect: "answer of a", say: "DONE: one" }],
  });
  expect(run.result).toMatchObject({ output: "one", metadata: { layers: [{}, { layer: 2 }] } });
});

test("all answer in two layers unless the block says otherwise [PAT-more-2.gather]", async () => {
  const [pattern] = await loadPatterns(["mixture-of-agents"]);
  const most = (options: Options) => {
    const agents = ["a", "b", "g"].map((id) => ({ id }));
    const given = { pattern: "mixture-of-agents", agents, options };
    return pattern?.turns?.(defineTestWorkflow(given)).most;
  };
  expect([most({}), most({ layers: 3 })]).toEqual([2 * 2 + 1, 2 * 3 + 1]);
});

test("without an answer, or anybody who gathers them, the run has failed [PAT-more.gather]", async () => {
  const none = await held("scatter-gather", {
    a: [{ say: "FAILED: ill" }],
    g: [{ say: "DONE: none" }],
  });
  expect(endOf(none)).toMatchObject({
    outcome: "failed",
    reason: expect.stringMatching(/^nobody has answered/),
  });
  const lost = await held("scatter-gather", {
    a: [{ say: "DONE: 1" }],
    g: [{ say: "FAILED: ill" }],
  });
  expect(endOf(lost)).toMatchObject({
    outcome: "failed",
    reason: expect.stringMatching(/^g made no answer of 1/),
  });
});

test("who answers and who gathers fit together [PAT-more.gather, PAT-more-2.gather]", async () => {
  const patterns = await loadPatterns(["scatter-gather", "mixture-of-agents"]);
  const faultsOf = (name: string, ids: readonly string[], options: Options = {}) =>
    patterns
      .find((pattern) => pattern.name === name)
      ?.check?.(defineTestWorkflow({ pattern: name, agents: ids.map((id) => ({ id })), options }))
      .map(({ key, problem }) => [key, problem]);
  expect(faultsOf("scatter-gather", ["a", "g"])).toEqual([]);
  expect(faultsOf("scatter-gather", ["g"])).toEqual([[undefined, "nobody answers beside g"]]);
  expect(faultsOf("scatter-gather", ["a"], { workers: ["a"] })).toEqual([
    [undefined, "nobody makes one answer of all"],
  ]);
  expect(faultsOf("mixture-of-agents", ["a", "g"], { proposers: ["a"], aggregator: "a" })).toEqual([
    ["aggregator", "a would gather its own answer"],
  ]);
  expect(faultsOf("mixture-of-agents", ["a", "g"], { proposers: ["x"] })).toEqual([
    ["proposers", 'proposers names "x", who is no agent'],
  ]);
});

test("the next one tries only when the one before has failed, and is told why [PAT-more.escalation, PAT-more-2.escalation]", async () => {
  const run = await held("escalation", {
    a: [{ say: "FAILED: no key" }],
    b: [{ expect: "no key", say: "DONE: found it" }],
    c: [{ say: "DONE: idle" }],
  });
  expect(endOf(run)).toEqual({ outcome: "completed", reason: "b did it, after 1 failure" });
  expect(run.result).toMatchObject({
    output: "found it",
    metadata: { tried: ["a", "b"], doneBy: "b" },
  });
  const unsure = await held("escalation", {
    a: [{ say: "DONE [confidence=0.01]: maybe" }],
    b: [{ say: "DONE: idle" }],
  });
  expect(unsure.result?.metadata).toMatchObject({ tried: ["a"], doneBy: "a" });
});

test("when all have failed, so has the run; who tries is named, in order [PAT-more.escalation]", async () => {
  const ill = [{ say: "FAILED: ill" }];
  const run = await held(
    "escalation",
    { a: ill, b: ill, c: [{ say: "DONE: idle" }] },
    { agents: ["b", "a"] },
  );
  expect(endOf(run)).toMatchObject({
    outcome: "failed",
    reason: expect.stringMatching(/^all have failed/),
  });
  expect(run.result?.metadata).toMatchObject({ tried: ["b", "a"], doneBy: null });
  const [pattern] = await loadPatterns(["escalation"]);
  const options = { agents: ["a", "a"] };
  const faults = pattern?.check?.(
    defineTestWorkflow({ pattern: "escalation", agents: [{ id: "a" }], options }),
  );
  expect(faults).toEqual([{ key: "agents", problem: 'agents names "a" twice' }]);
});
