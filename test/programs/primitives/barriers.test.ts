import { expect, test } from "vitest";
import type { BarrierSpec } from "../../../src/contracts/step.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import { runWorkflowInMemory, startInMemory } from "../../../src/testing/run-workflow-in-memory.ts";

const agents = ["a", "b", "c", "late"].map((id) => ({ id }));
const steps = [...["a", "b", "c"].map((id) => ({ id })), { id: "late", dependsOn: ["built"] }];

function barrier(changes: Partial<BarrierSpec> = {}): BarrierSpec {
  return { id: "built", waitFor: ["a", "b", "c"], signal: "BUILT", type: "all", ...changes };
}

function waiting(changes: Partial<BarrierSpec>, turns: Json) {
  return runWorkflowInMemory({ agents, steps, barriers: [barrier(changes)] }, { turns });
}

const BUILT = [{ say: "BUILT: mine\nDONE: ok" }];

test.each<[BarrierSpec["type"], Json, string]>([
  ["all", { a: BUILT, b: BUILT, c: BUILT }, "completed"],
  ["all", { a: BUILT, b: BUILT }, "failed"],
  ["any", { b: BUILT }, "completed"],
  ["majority", { a: BUILT, c: BUILT }, "completed"],
  ["majority", { c: BUILT }, "failed"],
])(
  "a barrier of type %s opens by its agents' signals: %j is %s [WF-10.barriers]",
  async (type, turns, outcome) => {
    const run = await waiting({ type }, turns);
    expect(run.outcome).toBe(outcome);
    expect(run.state.steps.byPath.get("late")?.status).toBe(
      outcome === "completed" ? "completed" : "blocked",
    );
  },
);

test("a step behind a barrier waits for the signal, not for the end of the steps that give it [WF-10.barriers, PAT-events]", async () => {
  const slow = Promise.withResolvers<string>();
  const run = await startInMemory(
    {
      agents: [
        { id: "a", backend: "function" },
        { id: "late", backend: "function" },
      ],
      steps: [{ id: "a" }, { id: "late", dependsOn: ["built"] }],
      barriers: [barrier({ waitFor: ["a"] })],
    },
    {
      functions: {
        a: async ({ giveSignal }) => {
          await giveSignal({ kind: "BUILT", value: "" });
          return slow.promise;
        },
        late: () => "went",
      },
    },
  );
  await run.event("step-completed", (event) => event.step === "late");
  expect(run.run.state.steps.byPath.get("a")?.status).toBe("running");
  slow.resolve("done");
  const over = await run.over();
  expect(over.all("pattern-advanced")).toMatchObject([
    { kind: "barrier", data: { barrier: "built" } },
  ]);
});

test("a barrier that is not open at its timeout fails with its dependents [WF-10.barriers]", async () => {
  const clock = createManualClock();
  const run = await startInMemory(
    { agents, steps, barriers: [barrier({ timeoutMs: 60_000 })] },
    { clock, turns: { a: [{ after: "2m", say: "BUILT\nDONE: too late" }] } },
  );
  await clock.advance(59_999);
  expect(run.run.state.steps.byPath.get("late")).toBeUndefined();
  await clock.advance(1);
  expect(run.run.state.steps.byPath.get("late")?.status).toBe("blocked");
  await clock.advance(60_000);
  const over = await run.over();
  expect(over.parting.event).toMatchObject({
    outcome: "failed",
    reason: 'barrier "built" did not open within 60000 ms: no BUILT from a, b, c',
  });
});

test("a barrier that nobody depends on holds the end of the run, and fails it when nobody can open it any more [WF-10.barriers]", async () => {
  const run = await runWorkflowInMemory({
    agents,
    steps: [{ id: "a" }],
    barriers: [barrier({ waitFor: ["a"] })],
  });
  expect(run.parting.event).toMatchObject({
    outcome: "failed",
    reason: 'barrier "built" can never open: no BUILT from a, and nobody works any more',
  });
});
