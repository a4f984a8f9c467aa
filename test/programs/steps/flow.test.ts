import { expect, test } from "vitest";
import { runStepsInMemory } from "../../../src/testing/run-workflow-in-memory.ts";

test("steps go on only where their routing says, and agents get the input and what is known [STP-2, STP-5]", async () => {
  const seen: unknown[] = [];
  const answer = (value: unknown) => (input: { readonly task: string }) => {
    seen.push(JSON.parse(input.task));
    return value;
  };
  const run = await runStepsInMemory(
    {
      agents: [
        { id: "planner", backend: "function" },
        { id: "coder", backend: "function" },
        { id: "never", backend: "function" },
      ],
      steps: [
        { id: "plan", type: "agent", settings: { agent: "planner" }, routes: { next: "code" } },
        { id: "code", type: "agent", settings: { agent: "coder" }, input: "plan" },
        { id: "test", type: "agent", settings: { agent: "never" } },
      ],
    },
    {
      input: "Build a dark mode toggle",
      functions: {
        planner: answer({ files: ["src/theme.ts"] }),
        coder: answer("done it"),
        never: answer("no"),
      },
    },
  );
  expect(run.outcome).toBe("completed");
  expect(seen).toEqual([
    { input: "Build a dark mode toggle", context: {} },
    {
      input: "Build a dark mode toggle",
      context: { plan: { files: ["src/theme.ts"] } },
      plan: { files: ["src/theme.ts"] },
    },
  ]);
});
