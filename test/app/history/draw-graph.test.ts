import { expect, test } from "vitest";
import { drawGraph, graphOfDefinition, graphOfRun } from "../../../src/app/history/draw-graph.ts";
import { createMachineAt } from "../../../src/app/machine/machine.ts";
import { defineTestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { startInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { PLAIN } from "../../observers/graph/graph-cases.ts";

test("the graph of a run shows what each step has come to, waiting and retrying ones too [LIM-2]", async () => {
  const tested = await startInMemory(
    {
      agents: ["ok", "bad", "flaky", "asking", "slow"].map((id) => ({ id })),
      steps: [
        { id: "plan", agent: "ok", expects: "PLANNED" },
        { id: "lint", agent: "bad", dependsOn: ["plan"] },
        { id: "unit", agent: "flaky", dependsOn: ["plan"], maxAttempts: 3, retryDelayMs: 300_000 },
        { id: "push", agent: "asking", dependsOn: ["plan"] },
        { id: "docs", agent: "slow", dependsOn: ["plan"] },
        { id: "never", agent: "ok", dependsOn: ["plan"], when: "false" },
        { id: "merge", agent: "ok", dependsOn: ["lint"] },
        {
          id: "report",
          agent: "ok",
          dependsOn: ["merge", "unit", "push", "docs", "never", "said"],
        },
      ],
      barriers: [{ id: "said", waitFor: ["ok"], signal: "PLANNED", type: "all" }],
    },
    {
      turns: {
        ok: [{ say: "PLANNED: all of it" }],
        bad: [{ fail: { code: "BROKEN" } }],
        flaky: [{ fail: { code: "OVERLOADED", retryable: true } }],
        asking: [{ do: [{ permission: { tool: "Bash", input: {} } }], say: "DONE: pushed" }],
        slow: [{ hang: true }],
      },
    },
  );
  await Promise.all([
    tested.event("step-blocked"),
    tested.event("step-retrying"),
    tested.event("permission-requested"),
    tested.event("step-skipped"),
    tested.event("turn-started", ({ agent }) => agent === "slow"),
  ]);
  const graph = await graphOfRun(tested.machine, tested.run.id);
  await tested.run.cancel();
  expect(graph).toMatchObject({
    v: 1,
    workflow: "test",
    pattern: "dag",
    run: { id: tested.run.id, state: "running" },
  });
  expect(Object.fromEntries(graph.nodes.map(({ id, status }) => [id, status]))).toEqual({
    plan: "completed",
    lint: "failed",
    unit: "retrying",
    push: "waiting",
    docs: "running",
    never: "skipped",
    merge: "blocked",
    report: "pending",
    said: "completed",
  });
  expect(await drawGraph(graph, "ascii", PLAIN)).toBe(
    [
      " ✔ plan ─┬▶ ✖ lint   ─▶ ⏸ merge ─┬▶ report",
      "         ├▶ ↻ unit   ────────────┤",
      "         ├▶ ▲ push   ────────────┤",
      "         ├▶ ● docs   ────────────┤",
      "         ├▶ ○ never? ────────────┤",
      "         └▶ ✔ [said] ────────────┘",
      " a step with ? has a condition, which is decided at run time",
      " ✔ 1 completed   ✖ 1 failed   ↻ 1 retrying   ▲ 1 waiting   ● 1 running   ○ 1 skipped   ⏸ 1 blocked   1 pending",
      "",
    ].join("\n"),
  );
});

test("a workflow without steps is drawn with the steps that it implies", async () => {
  const definition = defineTestWorkflow({
    pattern: "pipeline",
    agents: [{ id: "a" }, { id: "b" }],
  });
  expect(await graphOfDefinition(definition)).toEqual({
    v: 1,
    workflow: "test",
    pattern: "pipeline",
    run: null,
    nodes: [
      { id: "a", kind: "step", label: "a", agent: "a", backend: "script", maxAttempts: 1 },
      { id: "b", kind: "step", label: "b", agent: "b", backend: "script", maxAttempts: 1 },
    ],
    edges: [{ from: "a", to: "b", kind: "order" }],
  });
});

test("a run of which nothing was written has no graph", async () => {
  const machine = createMachineAt({ store: "memory" });
  machine.store.create("run_empty1").close();
  await expect(graphOfRun(machine, "run_empty1")).rejects.toThrow(
    expect.objectContaining({ code: "RUN_NEVER_BEGAN" }),
  );
});
