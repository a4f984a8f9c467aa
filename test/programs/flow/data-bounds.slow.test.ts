import { expect, test } from "vitest";
import { DataBounds } from "../../../src/programs/flow/step-engine.ts";
import { runStepsInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { flowEnd } from "./steps-run.ts";

const MI_CHARS = 1024 * 1024;

test("what one step comes to has a limit, and what all of them do; less still fits [STP-5, T9]", () => {
  const bounds = new DataBounds();
  // A text has two quotes more as JSON.
  const text = "x".repeat(16 * MI_CHARS - 2);
  for (let step = 0; step < 7; step += 1) expect(bounds.admit("a", text)).toBe(text);
  expect(() => bounds.admit("a", `${text}x`)).toThrow("more than 16 Mi");
  expect(bounds.admit("a", "x".repeat(16 * MI_CHARS - 10))).toHaveLength(16 * MI_CHARS - 10);
  expect(() => bounds.admit("b", text)).toThrow('the data of step "b" makes that of all steps');
  expect(bounds.admit("b", "123456")).toBe("123456");
  expect(() => bounds.admit("b", "")).toThrow("more than 128 Mi");
});

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
