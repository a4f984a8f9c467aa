import { expect, test } from "vitest";
import type { AgentFunction } from "../../../src/contracts/agent-function.ts";
import type { StepType } from "../../../src/contracts/ports/step-type.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { loopStep } from "../../../src/programs/steps/loop-step.ts";
import { createManualClock, settle } from "../../../src/testing/manual-clock.ts";
import {
  runStepsInMemory,
  startStepsInMemory,
  type TestFlowStep,
} from "../../../src/testing/run-workflow-in-memory.ts";
import { dataIn, failuresIn, messagesIn } from "./flow-data.ts";

const ask = (id: string, more: Partial<TestFlowStep> = {}): TestFlowStep => ({
  id,
  type: "agent",
  settings: { agent: id },
  ...more,
});
const agents = (...ids: readonly string[]) => ids.map((id) => ({ id, backend: "function" }));
const loop = (
  settings: { readonly [key: string]: Json },
  steps: readonly TestFlowStep[],
): TestFlowStep => ({ id: "refine", type: "loop", settings, steps });

/** Answers with one result after the other; an Error is thrown. */
function answers(...results: readonly unknown[]): AgentFunction {
  let next = 0;
  return () => {
    const result = results[next];
    next += 1;
    if (result instanceof Error) throw result;
    return result;
  };
}

test("a loop goes round until its condition holds; each round sees the one before [STP-1]", async () => {
  const seen: unknown[] = [];
  const draft: AgentFunction = ({ task }) => {
    const { context, index } = JSON.parse(task);
    seen.push({ index, score: context.review?.score ?? null });
    return { text: `draft ${index}` };
  };
  const run = await runStepsInMemory(
    {
      agents: agents("draft", "review"),
      steps: [loop({ until: "context.review.score >= 8" }, [ask("draft"), ask("review")])],
    },
    { functions: { draft, review: answers({ score: 3 }, { score: 6 }, { score: 9 }) } },
  );
  expect(run.outcome).toBe("completed");
  expect(seen).toEqual([
    { index: 0, score: null },
    { index: 1, score: 3 },
    { index: 2, score: 6 },
  ]);
  expect(dataIn(run)).toEqual({
    draft: { text: "draft 2" },
    review: { score: 9 },
    refine: { iterations: 3, last: { draft: { text: "draft 2" }, review: { score: 9 } } },
  });
  expect(run.all("step-completed").map(({ path }) => path)).toEqual([
    "refine[1]/draft",
    "refine[1]/review",
    "refine[2]/draft",
    "refine[2]/review",
    "refine[3]/draft",
    "refine[3]/review",
    "refine",
  ]);
  expect(run.all("step-completed").at(-1)).toMatchObject({ output: "3 rounds" });
});

test("a loop may go some rounds, and a step in it may be skipped by its condition [STP-1]", async () => {
  const run = await runStepsInMemory(
    {
      agents: agents("work"),
      steps: [
        loop({ times: 3 }, [
          ask("work", { when: "index > 0" }),
          { id: "count", type: "transform", settings: { transform: "index" } },
        ]),
      ],
    },
    { functions: { work: answers("one", "two") } },
  );
  expect(dataIn(run)).toEqual({
    work: { result: "two" },
    count: 2,
    refine: { iterations: 3, last: { work: { result: "two" }, count: 2 } },
  });
  expect(run.all("step-skipped")).toMatchObject([{ path: "refine[1]/work" }]);
});

test("a failed step ends its round; with `until` the next one makes up for it [STP-1, ENG-11]", async () => {
  const run = await runStepsInMemory(
    {
      agents: agents("fix", "check"),
      steps: [loop({ until: "context.check.success" }, [ask("fix"), ask("check")])],
    },
    {
      functions: {
        fix: answers("a", new Error("stuck"), "c"),
        check: answers(new Error("red"), "green"),
      },
    },
  );
  expect(run.outcome).toBe("completed");
  expect(failuresIn(run)).toEqual({
    "refine[1]/check": "BACKEND_FUNCTION_FAILED",
    "refine[2]/fix": "BACKEND_FUNCTION_FAILED",
  });
  expect(dataIn(run)["refine"]).toMatchObject({ iterations: 3 });
});

test("without `until` a failed round fails the loop [STP-1]", async () => {
  const run = await runStepsInMemory(
    { agents: agents("work"), steps: [loop({ times: 5 }, [ask("work")])] },
    { functions: { work: answers("one", new Error("no more")) } },
  );
  expect(run.outcome).toBe("failed");
  expect(messagesIn(run)["refine"]).toMatch(/^round 2 of step "refine" failed at work: .*no more/);
});

test("with `on_failure: continue` a round that fails ends nothing, unless none succeeds or five fail in a row [STP-1]", async () => {
  const flow = (work: AgentFunction, times = 8) =>
    runStepsInMemory(
      { agents: agents("work"), steps: [loop({ times, on_failure: "continue" }, [ask("work")])] },
      { functions: { work } },
    );
  const no = new Error("no");
  const some = await flow(answers(no, "a", no, "b"), 4);
  expect([some.outcome, dataIn(some)["refine"]]).toEqual([
    "completed",
    { iterations: 4, last: { work: { result: "b" } }, succeeded: 2, failed: 2 },
  ]);
  expect(some.all("step-completed").at(-1)).toMatchObject({ output: "2 of 4 rounds succeeded" });
  const none = await flow(answers(no, no), 2);
  expect([none.outcome, failuresIn(none)["refine"]]).toEqual([
    "failed",
    "STEP_LOOP_NONE_SUCCEEDED",
  ]);
  const failing = await flow(answers("a", no, no, no, no, no, "never asked"));
  expect([failing.outcome, dataIn(failing)["refine"]]).toMatchObject([
    "completed",
    { iterations: 6, succeeded: 1, failed: 5 },
  ]);
});

test("by time no round begins after the deadline, and the one that goes on is cut off after its grace [STP-1]", async () => {
  const clock = createManualClock();
  let begun = 0;
  const work: AgentFunction = async ({ signal }) => {
    begun += 1;
    if (begun < 3) return "quick";
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    return "never";
  };
  const started = await startStepsInMemory(
    {
      agents: agents("work"),
      maxDurationMs: 10_000_000,
      steps: [loop({ duration: "10m", on_failure: "continue" }, [ask("work")])],
    },
    { clock, functions: { work } },
  );
  let isOver = false;
  const over = started.over().finally(() => {
    isOver = true;
  });
  for (let turn = 0; begun < 3 && turn < 2000; turn += 1) await settle();
  await clock.advance(600_000);
  await settle();
  await clock.advance(59_000);
  await settle();
  expect(isOver).toBe(false);
  await clock.advance(2_000);
  const run = await over;
  expect([run.outcome, dataIn(run)["refine"]]).toEqual([
    "completed",
    { iterations: 3, last: {}, succeeded: 2, failed: 1 },
  ]);
});

test("a condition that cannot be decided fails the loop, with what went wrong in the round [STP-6]", async () => {
  const flow = (work: AgentFunction) =>
    runStepsInMemory(
      {
        agents: agents("work", "rate"),
        steps: [loop({ until: "context.rate.score > 5" }, [ask("work"), ask("rate")])],
      },
      { functions: { work, rate: () => ({ points: 9 }) } },
    );
  expect(messagesIn(await flow(answers(new Error("broken"))))["refine"]).toMatch(
    /^round 1 of step "refine" failed at work: .*broken.*; its `until` cannot be decided: .*rate/,
  );
  expect(failuresIn(await flow(answers("fine")))).toEqual({ refine: "EXPRESSION_UNKNOWN_PATH" });
});

test("a loop that reaches max_iterations has failed, which on_error can handle [STP-1]", async () => {
  const flow = (settings: { readonly [key: string]: Json }, routes: TestFlowStep["routes"] = {}) =>
    runStepsInMemory({
      steps: [
        {
          ...loop({ until: "context.n > 9000", ...settings }, [
            { id: "n", type: "transform", settings: { transform: "index" } },
          ]),
          routes: { ...routes },
        },
        { id: "handle", type: "transform", settings: { transform: "context.refine.iterations" } },
      ],
    });
  const bounded = await flow({ max_iterations: 4 });
  expect(bounded.outcome).toBe("failed");
  expect(failuresIn(bounded)).toEqual({ refine: "STEP_LOOP_LIMIT" });
  expect(dataIn(bounded)["refine"]).toEqual({ iterations: 4, last: { n: 3 } });
  const handled = await flow({}, { on_error: "handle" });
  expect(handled.outcome).toBe("completed");
  // Rounds are no iterations of the workflow, whose bound is 100 as well.
  expect(dataIn(handled)["handle"]).toBe(100);
});

test("a loop in a for_each in a loop keeps items and rounds apart [STP-1, STP-7]", async () => {
  const run = await runStepsInMemory(
    {
      steps: [
        {
          id: "outer",
          type: "loop",
          settings: { times: 2 },
          steps: [
            {
              id: "each",
              type: "parallel",
              settings: { for_each: "input" },
              steps: [
                {
                  id: "inner",
                  type: "loop",
                  settings: { times: 2 },
                  steps: [{ id: "x", type: "transform", settings: { transform: "item" } }],
                },
              ],
            },
          ],
        },
      ],
    },
    { input: ["a", "b"] },
  );
  expect(run.outcome).toBe("completed");
  const paths = run.all("step-completed").map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths).toContain("outer[2]/each[1]/inner[2]/x");
});

test("what a loop cannot mean is found at load [STP-1]", () => {
  const type: StepType = loopStep;
  const keysOf = (settings: Json, nestedCount = 1) =>
    type
      .check?.(type.settings.parse(settings), { nestedCount, routes: [] })
      .map(({ key, problem }) => key ?? problem);
  expect(keysOf({ until: "true" })).toEqual([]);
  expect(keysOf({ until: "true", max_iterations: 5 })).toEqual([]);
  expect(keysOf({ times: 5 })).toEqual([]);
  expect(keysOf({})).toEqual(["never ends"]);
  expect(keysOf({ times: 5 }, 0)).toEqual(["has nothing inside of it"]);
  expect(keysOf({ until: "true", times: 5 })).toEqual(["times"]);
  expect(keysOf({ times: 5, max_iterations: 5 })).toEqual(["max_iterations"]);
  expect(keysOf({ duration: "2h", times: 5, on_failure: "continue" })).toEqual([]);
  expect(keysOf({ duration: "2h", max_iterations: 5 })).toEqual([]);
  expect(keysOf({ duration: "soon" })).toEqual(["duration"]);
  expect(keysOf({ duration: "0s" })).toEqual(["duration"]);
  expect(keysOf({ until: "true", duration: "2h" })).toEqual(["duration"]);
  expect(keysOf({ until: "true", on_failure: "continue" })).toEqual(["on_failure"]);
});
