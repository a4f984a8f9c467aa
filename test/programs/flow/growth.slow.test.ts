import { expect, test } from "vitest";
import {
  runStepsInMemory,
  type TestFlowStep,
  type TestStepWorkflow,
} from "../../../src/testing/run-workflow-in-memory.ts";
import { cpuMs } from "../../testing/processor-time.ts";

const FEW = 1000;
const MANY = 10_000;
const MOST_GROWTH = 1.2;
// What else the machine does slows runs down, also on the processor: it hits as much of both sides when they take as
// long, and the best of some rounds is nearest to what the steps cost.
const ROUNDS = 5;

const UNBOUNDED = { maxIterations: 1e6, maxErrors: 1e6, maxDurationMs: 1e9 };

/** A chain in which each step looks at the one before. */
function chain(count: number, stepOf: (before: string | undefined) => Omit<TestFlowStep, "id">) {
  const steps = Array.from({ length: count }, (_, index): TestFlowStep => {
    const routes = index + 1 < count ? { next: `s${index + 1}` } : {};
    return { ...stepOf(index === 0 ? undefined : `s${index - 1}`), id: `s${index}`, routes };
  });
  return { ...UNBOUNDED, agents: [{ id: "worker", backend: "function" }], steps };
}

function items(count: number, step: Omit<TestFlowStep, "id">): TestStepWorkflow {
  const list = Array.from({ length: count }, (_, index) => `item ${index}`);
  return {
    ...UNBOUNDED,
    agents: [{ id: "worker", backend: "function" }],
    initialContext: { all: { list, title: "t" } },
    steps: [
      {
        id: "all",
        type: "parallel",
        settings: { for_each: "context.all.list" },
        steps: [{ ...step, id: "each" }],
      },
    ],
  };
}

const cases: { readonly [name: string]: (count: number) => TestStepWorkflow } = {
  "a chain of transforms": (count) =>
    chain(count, (before) => ({
      type: "transform",
      settings: { transform: before === undefined ? "input" : `context.${before}` },
    })),
  "a chain of agents that are told of the step before": (count) =>
    chain(count, (before) => ({
      type: "agent",
      settings: { agent: "worker", prompt: before === undefined ? "go" : `after {{${before}}}` },
      ...(before === undefined ? {} : { input: before }),
    })),
  "a chain of steps that run code": (count) => chain(count, () => ({ type: "work" })),
  "a step that leads back to itself": (count) => ({
    ...UNBOUNDED,
    maxIterations: count,
    steps: [{ id: "a", type: "transform", settings: { transform: "1" }, routes: { next: "a" } }],
  }),
  "a loop": (count) => ({
    ...UNBOUNDED,
    steps: [
      {
        id: "loop",
        type: "loop",
        settings: { times: count },
        steps: [{ id: "round", type: "transform", settings: { transform: "index" } }],
      },
    ],
  }),
  "transforms of the items of a list, which look into what holds the list": (count) =>
    items(count, { type: "transform", settings: { transform: "context.all.title" } }),
  "agents that do the items of a list": (count) =>
    items(count, {
      type: "agent",
      settings: { agent: "worker", prompt: "do {{item}} of {{context.all.title}}" },
    }),
};

for (const [name, workflowOf] of Object.entries(cases)) {
  test(`${name}: ten times as many steps cost ten times as much [STP-5, STP-14]`, async () => {
    const growths: number[] = [];
    await costMs(workflowOf(FEW));
    for (let round = 0; round < ROUNDS; round += 1) {
      let fewMs = 0;
      for (let steps = 0; steps < MANY; steps += FEW)
        fewMs += (await costMs(workflowOf(FEW))) - (await costMs(workflowOf(1)));
      const manyMs = (await costMs(workflowOf(MANY))) - (await costMs(workflowOf(1)));
      growths.push(manyMs / fewMs);
      if (Math.min(...growths) <= MOST_GROWTH) break;
    }
    expect(Math.min(...growths)).toBeLessThanOrEqual(MOST_GROWTH);
  });
}

/** What a run takes of the processor, in ms. */
async function costMs(workflow: TestStepWorkflow): Promise<number> {
  const before = cpuMs();
  const functions = { worker: () => "done" };
  const stepTypes = [{ name: "work", execute: () => "done" }];
  const run = await runStepsInMemory(workflow, { input: "task", functions, stepTypes });
  const ms = cpuMs() - before;
  expect(["completed", "limit-reached"]).toContain(run.outcome);
  return ms;
}
