import { expect, test } from "vitest";
import { runStepsInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { flowEnd } from "./steps-run.ts";

test("a cycle that comes to as much again in every round ends before it has taken the memory of its owner [STP-5, T9]", async () => {
  const run = flowEnd(
    await runStepsInMemory(
      {
        maxIterations: 1000,
        steps: [
          {
            id: "more",
            type: "transform",
            settings: { transform: "input.text" },
            routes: { next: "more", on_error: "told" },
          },
          { id: "told", type: "transform", settings: { transform: "1" } },
        ],
      },
      { input: { text: "x".repeat(8 * 1024 * 1024) } },
    ),
  );
  expect(run.all("step-failed")).toMatchObject([
    { step: "more", error: { code: "STEP_DATA_TOO_LARGE_TOGETHER" } },
  ]);
  expect(run.flow.path).toEqual([...Array.from({ length: 16 }, () => "more"), "told"]);
  expect([run.outcome, run.flow.output]).toEqual(["completed", 1]);
});
