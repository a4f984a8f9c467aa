import { expect, test } from "vitest";
import { defineTestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";

test("an execution of a step has one key through its retries, and each step its own [P2, ENG-8]", async () => {
  const calls: string[] = [];
  const run = await runWorkflowInMemory(
    defineTestWorkflow({
      pattern: "dag",
      agents: [{ id: "one", backend: "function" }],
      steps: [
        { id: "shaky", maxAttempts: 3 },
        { id: "calm", dependsOn: ["shaky"] },
      ],
    }),
    {
      task: "go",
      functions: {
        one: ({ key, attempt, step }) => {
          calls.push(`${key.slice(key.indexOf("/"))} ${attempt}`);
          if (step === "shaky" && attempt < 3) throw new Error("not yet");
          return "done";
        },
      },
    },
  );
  expect(run.outcome).toBe("completed");
  expect(calls).toEqual(["/shaky#1 1", "/shaky#1 2", "/shaky#1 3", "/calm#1 1"]);
});
