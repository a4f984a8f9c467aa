import { expect, test } from "vitest";
import type { StepGuard } from "../../../src/contracts/ports/step-type.ts";
import { createCuttableStore } from "../../../src/testing/journal-cuts.ts";
import { createManualClock, settle } from "../../../src/testing/manual-clock.ts";
import {
  resumeInMemory,
  runStepsInMemory,
  startStepsInMemory,
  type TestFlowStep,
} from "../../../src/testing/run-workflow-in-memory.ts";
import { flowEnd, runSteps, untilOver } from "./steps-run.ts";

const FAILS = { id: "bad", type: "transform", settings: { transform: "context.nothing" } } as const;

/** A step that leads to another one. */
function value(id: string, next: string): TestFlowStep {
  return { id, type: "transform", settings: { transform: "1" }, routes: { next } };
}

test("max_iterations lets exactly so many steps run, and the end names the way there [STP-3]", async () => {
  const run = await runSteps({ maxIterations: 7, steps: [value("a", "b"), value("b", "a")] });
  const path = ["a", "b", "a", "b", "a", "b", "a"];
  expect(run.all("step-started")).toHaveLength(7);
  expect(run.outcome).toBe("limit-reached");
  expect(run.reason).toContain("max_iterations");
  expect(run.reason).toContain("a → b → a");
  expect(run.flow.path).toEqual(path);
  expect(run.all("guard-tripped")).toMatchObject([{ guard: "max_iterations", path }]);
});

test("a workflow that ends with its last allowed step has not hit a guard [STP-3]", async () => {
  const end = { id: "b", type: "transform", settings: { transform: "2" } };
  const run = await runSteps({ maxIterations: 2, steps: [value("a", "b"), end] });
  expect([run.outcome, run.all("guard-tripped")]).toEqual(["completed", []]);
});

test("steps inside of others do not count as iterations, nor do their failures as errors [STP-18]", async () => {
  const run = await runSteps({
    maxIterations: 2,
    maxErrors: 2,
    steps: [
      {
        id: "all",
        type: "parallel",
        steps: [FAILS, { ...FAILS, id: "worse" }, { ...FAILS, id: "worst" }],
        routes: { next: "after" },
      },
      { id: "after", type: "transform", settings: { transform: "context.all.success" } },
    ],
  });
  expect([run.outcome, run.flow.output]).toEqual(["failed", false]);
});

test("a failed parallel counts one error, and max_errors ends what fails again and again [STP-3, STP-18]", async () => {
  const run = await runSteps({
    maxErrors: 3,
    steps: [
      {
        id: "all",
        type: "parallel",
        steps: [FAILS, { ...FAILS, id: "worse" }],
        routes: { next: "all" },
      },
    ],
  });
  expect(run.outcome).toBe("limit-reached");
  expect(run.flow.path).toEqual(["all", "all", "all"]);
  expect(run.all("guard-tripped")).toMatchObject([{ guard: "max_errors" }]);
});

test("max_duration_ms ends a workflow whose step hangs, and what hangs [STP-3, ENG-7.outer]", async () => {
  const clock = createManualClock();
  const state = { isAborted: false };
  const started = await startStepsInMemory(
    {
      maxDurationMs: 5000,
      agents: [{ id: "slow", backend: "function" }],
      steps: [value("a", "hang"), { id: "hang", type: "agent", settings: { agent: "slow" } }],
    },
    {
      clock,
      functions: {
        slow: ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              state.isAborted = true;
              reject(signal.reason);
            });
          }),
      },
    },
  );
  await started.event("turn-started");
  await clock.advance(4999);
  expect(started.run.state.phase.status).toBe("running");
  await clock.advance(1);
  const run = await untilOver(started, clock);
  expect(run.outcome).toBe("limit-reached");
  expect(run.tookMs).toBe(0);
  expect(state.isAborted).toBe(true);
  expect(run.all("guard-tripped")).toMatchObject([{ guard: "max_duration_ms", path: ["a"] }]);
  expect(run.all("step-cancelled").map(({ step }) => step)).toEqual(["hang"]);
});

test("max_duration_ms counts running time: the time in which nobody carries the run out is not part of it [STP-3, ENG-7.outer, ENG-7.running]", async () => {
  const store = createCuttableStore();
  const workflow = {
    maxDurationMs: 5000,
    agents: [{ id: "slow" }],
    steps: [{ id: "hang", type: "agent", settings: { agent: "slow" }, timeoutMs: 3_600_000 }],
  };
  const clock = createManualClock();
  const turns = { slow: [{ hang: true }] };
  const first = await startStepsInMemory(workflow, { clock, store, turns });
  await first.event("turn-started");
  await clock.advance(3000);
  await first.run.suspend();
  await first.over();
  await clock.advance(100_000);
  const second = await resumeInMemory(first.run.id, { clock, store });
  await second.event("turn-started");
  await clock.advance(1900);
  expect(second.run.state.phase.status).toBe("running");
  await clock.advance(200);
  expect((await second.over()).outcome).toBe("limit-reached");
});

test("a path that a guard ends takes the other paths with it, and none begins a step after that [STP-3, STP-13]", async () => {
  const run = await runSteps(
    {
      parallel: true,
      maxConcurrency: 2,
      maxIterations: 4,
      agents: [{ id: "slow" }],
      steps: [
        { id: "hang", type: "agent", settings: { agent: "slow" } },
        value("a", "b"),
        value("b", "b"),
        { id: "waits", type: "transform", settings: { transform: "1" } },
        { id: "later", type: "transform", settings: { transform: "context.a" } },
      ],
    },
    { turns: { slow: [{ hang: true }] } },
  );
  expect(run.outcome).toBe("limit-reached");
  expect(run.all("step-cancelled").map(({ step }) => step)).toEqual(["hang"]);
  expect(run.all("step-started").map(({ step }) => step)).toEqual(["hang", "a", "b", "b"]);
});

test("a rejection ends the other paths before they begin anything [STP-8, STP-13]", async () => {
  const run = await runSteps(
    {
      parallel: true,
      steps: [
        { id: "ask", type: "approval" },
        { id: "deploy", type: "transform", settings: { transform: "context.ask.approved" } },
      ],
    },
    { approvals: "none" },
  );
  expect(run.outcome).toBe("rejected");
  expect(run.all("step-started").map(({ step }) => step)).toEqual(["ask"]);
});

test("a guard of one's own ends a workflow as the built-in ones do [STP-17]", async () => {
  const guard: StepGuard = {
    name: "no_more_than_one_b",
    check: ({ history }) =>
      history.filter(({ stepId }) => stepId === "b").length < 2 ? undefined : "b ran twice",
  };
  const run = flowEnd(
    await runStepsInMemory({ steps: [value("a", "b"), value("b", "a")] }, { guards: [guard] }),
  );
  expect(run.outcome).toBe("limit-reached");
  expect(run.reason).toContain("no_more_than_one_b: b ran twice");
  expect(run.flow.path).toEqual(["a", "b", "a", "b"]);
});

test("retries wait for retry_delay_ms, twice as long each time, and max_retries counts attempts [STP-4, STP-18]", async () => {
  const clock = createManualClock();
  const at: number[] = [];
  const started = await startStepsInMemory(
    {
      agents: [{ id: "bad", backend: "function" }],
      steps: [
        {
          id: "try",
          type: "agent",
          settings: { agent: "bad" },
          maxAttempts: 4,
          retryDelayMs: 1000,
        },
      ],
    },
    {
      clock,
      functions: {
        bad: () => {
          at.push(clock.now());
          throw new Error("not yet");
        },
      },
    },
  );
  await started.event("turn-failed");
  await settle();
  const begin = clock.now();
  for (const [delayMs, calls] of [
    [999, 1],
    [1, 2],
    [1999, 2],
    [1, 3],
    [3999, 3],
    [1, 4],
  ] as const) {
    await clock.advance(delayMs);
    expect(at).toHaveLength(calls);
  }
  const run = await untilOver(started, clock);
  expect(at.map((time) => time - begin)).toEqual([0, 1000, 3000, 7000]);
  expect(run.all("step-retrying").map(({ delayMs }) => delayMs)).toEqual([1000, 2000, 4000]);
  expect(run.outcome).toBe("failed");
  expect(run.reason).toContain("not yet");
});

test("a retry delay never grows beyond five minutes [STP-4]", async () => {
  const run = await runSteps(
    {
      maxDurationMs: 86_400_000,
      agents: [{ id: "bad", backend: "function" }],
      steps: [
        {
          id: "try",
          type: "agent",
          settings: { agent: "bad" },
          maxAttempts: 5,
          retryDelayMs: 100_000,
        },
      ],
    },
    {
      functions: {
        bad: () => {
          throw new Error("no");
        },
      },
    },
  );
  expect(run.all("step-retrying").map(({ delayMs }) => delayMs)).toEqual([
    100_000, 200_000, 300_000, 300_000,
  ]);
});

test("timeout_ms cuts each attempt off, of an agent after 60 s unless the file says otherwise [STP-4, STP-15]", async () => {
  const run = await runSteps(
    {
      agents: [{ id: "slow" }],
      steps: [
        { id: "try", type: "agent", settings: { agent: "slow" }, timeoutMs: 1000, maxAttempts: 3 },
      ],
    },
    { turns: { slow: [{ hang: true }] } },
  );
  expect(run.tookMs).toBe(3000);
  expect(run.all("step-started").map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  expect(run.all("step-failed")).toHaveLength(1);
  expect(run.outcome).toBe("failed");
});

test("timeout_ms of a step with others inside cancels them, and on_error goes on [STP-4, STP-7, ENG-6]", async () => {
  const run = await runSteps(
    {
      agents: [{ id: "slow" }],
      steps: [
        {
          id: "all",
          type: "parallel",
          timeoutMs: 2000,
          steps: [
            { id: "hang", type: "agent", settings: { agent: "slow" } },
            { id: "fine", type: "transform", settings: { transform: "1" } },
          ],
          routes: { on_error: "rescue" },
        },
        { id: "rescue", type: "transform", settings: { transform: "errors.all.code" } },
      ],
    },
    { turns: { slow: [{ hang: true }] } },
  );
  expect(run.tookMs).toBe(2000);
  expect([run.outcome, run.flow.output]).toEqual(["completed", "STEP_TIMED_OUT"]);
  expect(run.all("step-cancelled").map(({ path }) => path)).toEqual(["all/hang"]);
});
