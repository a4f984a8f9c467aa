import { expect, test } from "vitest";
import type { AgentFunction } from "../../../src/contracts/agent-function.ts";
import type { StepType } from "../../../src/contracts/ports/step-type.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { workflowStep } from "../../../src/programs/steps/workflow-step.ts";
import { defineTestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import {
  defineStepWorkflow,
  runStepsInMemory,
} from "../../../src/testing/run-workflow-in-memory.ts";
import { dataIn, failuresIn, messagesIn } from "./flow-data.ts";

const child = defineStepWorkflow({
  name: "child",
  steps: [{ id: "got", type: "transform", settings: { transform: "input" } }],
});
const worker = { id: "worker", backend: "function" };
const fails: AgentFunction = () => {
  throw new Error("no luck");
};

test("a workflow step runs a child with the input of its run; what it came to is the data [STP-1, ENG-12]", async () => {
  const run = await runStepsInMemory(
    {
      workflows: { "child.yaml": child },
      steps: [
        {
          id: "sub",
          type: "workflow",
          settings: { file: "child.yaml" },
          routes: { next: "after" },
        },
        { id: "after", type: "transform", settings: { transform: "context.sub.context.got.n" } },
      ],
    },
    { input: { n: 3 } },
  );
  expect(run.outcome).toBe("completed");
  expect(dataIn(run)).toEqual({
    sub: {
      run: expect.stringMatching(/^run_/),
      outcome: "completed",
      output: { n: 3 },
      context: { got: { n: 3 } },
      path: ["got"],
    },
    after: 3,
  });
});

test("`with` makes the child's input; a text that is one variable is its value, missing ones are empty [STP-1, STP-5]", async () => {
  const run = await runStepsInMemory(
    {
      workflows: { child },
      initialContext: { plan: { files: ["a", "b"] } },
      steps: [
        {
          id: "sub",
          type: "workflow",
          settings: {
            workflow: "child",
            with: {
              files: "{{ context.plan.files }}",
              text: "{{context.plan.files.0}} and {{context.none}}",
              none: "{{context.none}}",
              deep: [{ n: 1, goal: "{{input}}" }],
            },
          },
        },
      ],
    },
    { input: "the goal {{context.plan}}" },
  );
  expect(dataIn(run)["sub"]).toMatchObject({
    output: {
      files: ["a", "b"],
      text: "a and ",
      none: "",
      deep: [{ n: 1, goal: "the goal {{context.plan}}" }],
    },
  });
});

test("`with` may be a single text: an item of a list is the input of a child [STP-1, STP-5]", async () => {
  const run = await runStepsInMemory(
    {
      workflows: { child },
      initialContext: { files: ["a", { b: 1 }] },
      steps: [
        {
          id: "all",
          type: "parallel",
          settings: { for_each: "context.files" },
          steps: [
            { id: "sub", type: "workflow", settings: { workflow: "child", with: "{{item}}" } },
          ],
          routes: { next: "named" },
        },
        {
          id: "named",
          type: "workflow",
          settings: { workflow: "child", with: "look at {{input}}" },
        },
      ],
    },
    { input: "all" },
  );
  expect(dataIn(run)["sub"]).toMatchObject([{ output: "a" }, { output: { b: 1 } }]);
  expect(dataIn(run)["named"]).toMatchObject({ output: "look at all" });
});

test("without `with` the child gets the data of `input` [STP-1, STP-5]", async () => {
  const run = await runStepsInMemory(
    {
      workflows: { child },
      initialContext: { plan: { files: [] } },
      steps: [{ id: "sub", type: "workflow", settings: { workflow: "child" }, input: "plan" }],
    },
    { input: "not this" },
  );
  expect(dataIn(run)["sub"]).toMatchObject({ output: { files: [] } });
});

test("a pattern workflow as a child has its task and its result [STP-1, ENG-12]", async () => {
  const pattern = defineTestWorkflow({ pattern: "fan-out", agents: [worker] });
  const run = await runStepsInMemory(
    {
      workflows: { child: { ...pattern, steps: [] } },
      steps: [{ id: "sub", type: "workflow", settings: { workflow: "child" } }],
    },
    { input: "do it", functions: { worker: ({ task }) => `did: ${task}` } },
  );
  expect(dataIn(run)["sub"]).toMatchObject({
    outcome: "completed",
    pattern: "fan-out",
    success: true,
    output: "did: do it",
  });
});

test("a child that does not complete fails the step, which keeps what it came to [STP-1, ENG-11]", async () => {
  const failing = defineStepWorkflow({
    name: "child",
    agents: [worker],
    steps: [{ id: "work", type: "agent", settings: { agent: "worker" } }],
  });
  const run = await runStepsInMemory(
    {
      workflows: { child: failing },
      steps: [
        {
          id: "sub",
          type: "workflow",
          settings: { workflow: "child" },
          maxAttempts: 2,
          routes: { on_error: "after" },
        },
        { id: "after", type: "transform", settings: { transform: "context.sub.outcome" } },
      ],
    },
    { functions: { worker: fails } },
  );
  expect(run.outcome).toBe("completed");
  expect(run.all("step-retrying")).toMatchObject([{ error: { code: "STEP_WORKFLOW_FAILED" } }]);
  expect(messagesIn(run)["sub"]).toMatch(
    /^workflow "child" of step "sub" ended as failed \(run_\w+\): .*no luck/,
  );
  expect(dataIn(run)["after"]).toBe("failed");
});

test("a child that somebody rejects is not tried again [STP-8, ENG-12]", async () => {
  const asking = defineStepWorkflow({
    name: "child",
    steps: [{ id: "ok", type: "approval", settings: { message: "Go on?" } }],
  });
  const run = await runStepsInMemory(
    {
      workflows: { child: asking },
      steps: [{ id: "sub", type: "workflow", settings: { workflow: "child" }, maxAttempts: 5 }],
    },
    { approvals: "none" },
  );
  expect(run.outcome).toBe("failed");
  expect(failuresIn(run)).toEqual({ sub: "STEP_WORKFLOW_STOPPED" });
  expect(run.all("step-retrying")).toEqual([]);
});

test("a workflow step names exactly one workflow, which loading is told [STP-1]", () => {
  const type: StepType = workflowStep;
  const read = (settings: Json) => {
    const parsed = type.settings.parse(settings);
    const about = { nestedCount: 0, routes: [] };
    const faults = type.check?.(parsed, about).map(({ problem }) => problem);
    return { faults, workflows: type.workflows?.(parsed) };
  };
  expect(read({ file: "a.yaml" })).toEqual({
    faults: [],
    workflows: [{ key: "a.yaml", file: "a.yaml" }],
  });
  expect(read({ workflow: "a" })).toEqual({ faults: [], workflows: [{ key: "a", id: "a" }] });
  expect(read({}).faults).toEqual(["names no workflow"]);
  expect(read({ file: "a.yaml", workflow: "a" }).faults).toEqual(["is here beside file"]);
});
