import { expect, test } from "vitest";
import type { TestStepWorkflow } from "../../../src/testing/run-workflow-in-memory.ts";
import { runSteps } from "./steps-run.ts";

test("an item that failed the last time counts no more when the list is shorter now [ENG-11, STP-7]", async () => {
  const run = await runSteps(
    {
      agents: [{ id: "lister", backend: "function" }],
      steps: [
        { id: "list", type: "agent", settings: { agent: "lister" }, routes: { next: "all" } },
        {
          id: "all",
          type: "parallel",
          settings: { for_each: "context.list" },
          steps: [{ id: "each", type: "transform", settings: { transform: "item.value" } }],
          routes: { next: "good" },
        },
        {
          id: "good",
          type: "condition",
          settings: { condition: "context.all.success" },
          routes: { else: "list" },
        },
      ],
    },
    {
      functions: {
        lister: ({ task }) =>
          JSON.parse(task).context.list === undefined ? [{ value: 1 }, {}] : [{ value: 2 }],
      },
    },
  );
  expect(run.all("step-failed").map(({ path }) => path)).toEqual(["all[1]/each", "all"]);
  expect([run.outcome, run.flow.context["each"]]).toEqual(["completed", [2]]);
});

test("a step that is skipped has not been executed: it stands in no path and has no output [STP-2]", async () => {
  const run = await runSteps({
    steps: [
      { id: "value", type: "transform", settings: { transform: "7" }, routes: { next: "skipped" } },
      { id: "skipped", type: "transform", when: "false", settings: { transform: "8" } },
    ],
  });
  expect([run.outcome, run.flow]).toEqual([
    "completed",
    { output: 7, context: { value: 7 }, path: ["value"] },
  ]);
});

test("what a workflow came to is the data of its last step, be it a condition or a wait [STP-5, STP-17]", async () => {
  const before = (next: string) =>
    ({ id: "a", type: "transform", settings: { transform: "1" }, routes: { next } }) as const;
  const wait = await runSteps({
    steps: [before("w"), { id: "w", type: "wait", settings: { duration_ms: 0 } }],
  });
  expect(wait.flow.output).toEqual({ waitedMs: 0 });
  const condition = await runSteps({
    steps: [
      before("c"),
      { id: "c", type: "condition", settings: { condition: "false" }, routes: { then: "a" } },
    ],
  });
  expect(condition.flow.output).toEqual({ result: false });
});

test("a failure stays one when the step is skipped the next time [ENG-11, STP-7]", async () => {
  const run = await runSteps({
    steps: [
      {
        id: "tests",
        type: "parallel",
        when: "!exists(context.fix)",
        steps: [{ id: "unit", type: "transform", settings: { transform: "context.nothing" } }],
        routes: { next: "choose" },
      },
      {
        id: "choose",
        type: "condition",
        settings: { condition: "exists(context.fix)" },
        routes: { else: "fix" },
      },
      { id: "fix", type: "transform", settings: { transform: "1" }, routes: { next: "tests" } },
    ],
  });
  expect([run.outcome, run.flow.path]).toEqual(["failed", ["tests", "choose", "fix", "choose"]]);
});

test("steps at any depth are found by their own ids afterwards [STP-7, STP-16]", async () => {
  const value = (id: string) => ({ id, type: "transform", settings: { transform: `'${id}'` } });
  const run = await runSteps({
    steps: [
      {
        id: "outer",
        type: "parallel",
        steps: [
          { id: "inner", type: "parallel", steps: [value("deep"), value("deeper")] },
          { id: "loop", type: "loop", settings: { times: 2 }, steps: [value("round")] },
        ],
        routes: { next: "sum" },
      },
      {
        id: "sum",
        type: "transform",
        settings: {
          transform: "[context.deep, context.deeper, context.round, context.inner[1].result]",
        },
      },
    ],
  });
  expect([run.outcome, run.flow.output]).toEqual([
    "completed",
    ["deep", "deeper", "round", "deeper"],
  ]);
});

test("a list with too few successes fails the step, an empty one too [STP-7]", async () => {
  const of = (list: string) =>
    runSteps({
      steps: [
        {
          id: "all",
          type: "parallel",
          settings: { for_each: list, min_success: 1 },
          steps: [{ id: "each", type: "transform", settings: { transform: "item" } }],
        },
      ],
    });
  expect((await of("[1]")).outcome).toBe("completed");
  const empty = await of("[]");
  expect([empty.outcome, empty.reason]).toEqual([
    "failed",
    'step "all" failed: 0 of 0 inside of step "all" failed, and 1 had to succeed (min_success)',
  ]);
});

test("a step whose input names one that failed has failed, also when that has data [STP-16]", async () => {
  const run = await runSteps({
    steps: [
      {
        id: "tests",
        type: "parallel",
        steps: [{ id: "unit", type: "transform", settings: { transform: "context.nothing" } }],
        routes: { on_error: "report" },
      },
      {
        id: "report",
        type: "transform",
        input: "tests",
        settings: { transform: "tests" },
        routes: { on_error: "rescue" },
      },
      { id: "rescue", type: "transform", settings: { transform: "context.tests[0].success" } },
    ],
  });
  expect([run.outcome, run.flow.output]).toEqual(["completed", false]);
  expect(run.all("step-failed").at(-1)?.error.code).toBe("STEP_INPUT_MISSING");
});

test("an agent that says FAILED or BLOCKED has failed its step; what a program prints is its answer [STP-10.answer, SIG-4]", async () => {
  const asking = (agents: NonNullable<TestStepWorkflow["agents"]>): TestStepWorkflow => ({
    agents,
    steps: [{ id: "plan", type: "agent", settings: { agent: "planner", prompt: "Plan it" } }],
  });
  const turns = { planner: [{ say: "BLOCKED: no access" }] };
  const talking = await runSteps(asking([{ id: "planner" }]), { turns });
  expect([talking.outcome, talking.reason]).toEqual([
    "failed",
    expect.stringContaining('step "plan" blocked: no access'),
  ]);
  const program = { id: "planner", backend: "function" };
  const printing = await runSteps(asking([program]), {
    functions: { planner: () => "BLOCKED: no access" },
  });
  expect([printing.outcome, printing.flow.output]).toEqual(["completed", "BLOCKED: no access"]);
});
