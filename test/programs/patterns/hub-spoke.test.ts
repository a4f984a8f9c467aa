import { expect, test } from "vitest";
import type { TestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { runWoken } from "./woken-run.ts";

const wheel: TestWorkflow = {
  pattern: "hub-spoke",
  agents: [
    { id: "lead", role: "lead" },
    { id: "db", task: "models" },
    { id: "api", task: "routes" },
  ],
};

test("workers start beside the hub with their parts, their answers wake it, and its DONE ends it all [PAT-hub-spoke, PAT-hub-spoke-2]", async () => {
  const run = await runWoken(wheel, {
    task: "a blog",
    turns: {
      lead: [{ say: "off we go" }, { say: "DONE: a blog with 2 tables" }],
      db: [{ expect: "models", say: "DONE: 2 tables" }],
      api: [{ expect: "routes", say: "DONE: 4 routes" }],
    },
  });
  expect(run.outcome).toBe("completed");
  expect(run.reason).toBe("lead is done");
  expect(run.result).toMatchObject({
    output: "a blog with 2 tables",
    metadata: {
      hub: "lead",
      workers: [
        { agent: "db", status: "done", summary: "2 tables", spawned: false },
        { agent: "api", status: "done", summary: "4 routes", spawned: false },
      ],
      unfinished: [],
    },
  });
  expect(run.said).toEqual([
    "lead: off we go",
    "db > lead: DONE: 2 tables",
    "api > lead: DONE: 4 routes",
    "lead: DONE: a blog with 2 tables",
  ]);
  expect(run.turns).toEqual({ lead: 2, db: 1, api: 1 });
});
