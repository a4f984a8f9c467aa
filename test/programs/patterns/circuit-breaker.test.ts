import { expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { loadPatterns } from "../../../src/programs/patterns/registry.ts";
import { defineTestWorkflow, type TestAgent } from "../../../src/testing/define-test-workflow.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";
import { runTalkCase } from "./talk-runs.ts";

const fails = { say: "FAILED: no answer" };
const works = { say: "DONE: ok" };
const ids = ["s1", "s2", "s3", "s4"];

function guarded(agents: readonly TestAgent[], options: { readonly [key: string]: Json }) {
  const [first] = agents;
  const steps = ids.map((id) => ({ id, agent: first?.id ?? "a", prompt: "call it" }));
  return { pattern: "circuit-breaker", mode: "sequential", agents, steps, options } as const;
}

function statesOf(run: FinishedRun): readonly Json[] {
  return run
    .all("pattern-advanced")
    .flatMap(({ kind, data }) => (kind === "breaker" ? [data] : []));
}

function whoDid(run: FinishedRun) {
  return run.all("step-completed").map(({ step, agent }) => [step, agent]);
}

test("after as many failures as the threshold says the fallback does the steps, and the agent is not asked [PAT-more.breaker, PAT-more-2.breaker]", async () => {
  const run = await runWorkflowInMemory(
    { ...guarded([{ id: "a" }, { id: "b" }], { threshold: 2, fallback: "b" }) },
    { task: "x", turns: { a: [fails, fails, works, works], b: [works, works, works, works] } },
  );
  expect(run.outcome).toBe("completed");
  expect(whoDid(run)).toEqual(ids.map((id) => [id, "b"]));
  expect(run.all("turn-completed").filter(({ agent }) => agent === "a")).toHaveLength(2);
  expect(statesOf(run)).toEqual([{ agent: "a", status: "open", failures: 2 }]);
  expect(run.result?.metadata).toEqual({ breaker: "open", opened: 1 });
});

test("three failures in a row open it, unless the block says otherwise [PAT-more-2.breaker]", async () => {
  const run = await runWorkflowInMemory(
    { ...guarded([{ id: "a" }, { id: "b" }], { fallback: "b" }) },
    { task: "x", turns: { a: [fails, fails, fails, works], b: [works, works, works, works] } },
  );
  expect(run.all("turn-completed").filter(({ agent }) => agent === "a")).toHaveLength(3);
  expect(statesOf(run)).toEqual([{ agent: "a", status: "open", failures: 3 }]);
});

test("a success between failures keeps the breaker closed [PAT-more.breaker]", async () => {
  const run = await runWorkflowInMemory(
    { ...guarded([{ id: "a" }, { id: "b" }], { threshold: 2, fallback: "b" }) },
    { task: "x", turns: { a: [fails, works, fails, works], b: [works, works] } },
  );
  expect(whoDid(run)).toEqual([
    ["s1", "b"],
    ["s2", "a"],
    ["s3", "b"],
    ["s4", "a"],
  ]);
  expect(statesOf(run)).toEqual([]);
});

test("after the cool-down one step is tried: what comes of it closes the breaker, or opens it again [PAT-more.breaker, PAT-more-2.breaker]", async () => {
  const cooldownMs = 60_000;
  const workflow = { ...guarded([{ id: "a" }], { threshold: 1 }), mode: "parallel" as const };
  const run = await runTalkCase(workflow, { a: [fails, fails, fails, fails] });
  expect(run.outcome).toBe("failed");
  expect(run.result?.metadata).toMatchObject({ breaker: "open" });
  const steps = ids.map((id) => ({ id, agent: "a", prompt: "call it" }));
  const mended = await runTalkCase(
    {
      pattern: "circuit-breaker",
      mode: "parallel",
      maxConcurrency: 1,
      agents: [{ id: "a" }],
      steps,
      options: { threshold: 1 },
    },
    { a: { repeat: "last", turns: [fails, fails, works] } },
  );
  expect(statesOf(mended)).toEqual([
    { agent: "a", status: "open", failures: 1 },
    { agent: "a", status: "half-open", failures: 1 },
    { agent: "a", status: "open", failures: 2 },
    { agent: "a", status: "half-open", failures: 2 },
    { agent: "a", status: "closed", failures: 0 },
  ]);
  const times = mended.all("step-started").map(({ at }) => at);
  const [first = 0, second = 0, third = 0, fourth = 0] = times;
  expect(second - first).toBeGreaterThanOrEqual(cooldownMs);
  expect(second - first).toBeLessThan(cooldownMs + 1000);
  expect(third - second).toBeGreaterThanOrEqual(cooldownMs);
  expect(fourth - third).toBeLessThan(cooldownMs);
});

test("a crash and a turn over its time count as failures [PAT-more.breaker]", async () => {
  const steps = ids.map((id) => ({ id, agent: "a", prompt: "call it", timeoutMs: 1000 }));
  const run = await runTalkCase(
    {
      ...guarded([{ id: "a", onCrash: "fail" }, { id: "b" }], { threshold: 2, fallback: "b" }),
      steps,
    },
    { a: [{ hang: true }, { crash: true }], b: { repeat: "last", turns: [works] } },
  );
  expect(whoDid(run)).toEqual(ids.map((id) => [id, "b"]));
  expect(statesOf(run)).toEqual([{ agent: "a", status: "open", failures: 2 }]);
});

test("whose steps are guarded and who stands in fit together [PAT-more.breaker, PAT-more-2.breaker]", async () => {
  const [pattern] = await loadPatterns(["circuit-breaker"]);
  const faults = (options: { readonly [key: string]: Json }) =>
    pattern
      ?.check?.(defineTestWorkflow(guarded([{ id: "a" }, { id: "b" }], options)))
      .map(({ key, problem }) => [key, problem]);
  expect(faults({})).toEqual([]);
  expect(faults({ fallback: "a" })).toEqual([["fallback", "a would stand in for itself"]]);
  expect(faults({ agent: "b" })).toEqual([
    [undefined, "a circuit breaker guards the steps of b, which has none"],
  ]);
  expect(faults({ agent: "x" })).toEqual([["agent", 'agent names "x", who is no agent']]);
});
