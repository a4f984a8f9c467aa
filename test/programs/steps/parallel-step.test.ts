import { expect, test } from "vitest";
import type { AgentFunction } from "../../../src/contracts/agent-function.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { parallelStep } from "../../../src/programs/steps/parallel-step.ts";
import { settle } from "../../../src/testing/manual-clock.ts";
import {
  runStepsInMemory,
  type TestFlowStep,
} from "../../../src/testing/run-workflow-in-memory.ts";
import { dataIn, failuresIn, messagesIn } from "./flow-data.ts";

const ask = (id: string, agent = id): TestFlowStep => ({ id, type: "agent", settings: { agent } });
const take = (id: string, transform: string): TestFlowStep => ({
  id,
  type: "transform",
  settings: { transform },
});
const agents = (...ids: readonly string[]) => ids.map((id) => ({ id, backend: "function" }));
const fails: AgentFunction = () => {
  throw new Error("red");
};

test("children run side by side, settle all, and are known by their own ids afterwards [STP-7, STP-16]", async () => {
  const run = await runStepsInMemory(
    {
      agents: agents("unit", "lint", "types"),
      steps: [
        {
          id: "parallel-tests",
          type: "parallel",
          steps: [ask("unit"), ask("lint"), ask("types")],
          routes: { next: "report" },
        },
        take("report", 'context.unit.passed && context["parallel-tests"].success === false'),
      ],
    },
    { functions: { unit: () => ({ passed: 12 }), lint: fails, types: () => "fine" } },
  );
  const data = dataIn(run);
  expect(data["report"]).toBe(true);
  expect(data["parallel-tests"]).toEqual([
    {
      stepId: "unit",
      status: "fulfilled",
      success: true,
      result: { passed: 12 },
      error: null,
      durationMs: expect.any(Number),
    },
    {
      stepId: "lint",
      status: "rejected",
      success: false,
      result: null,
      error: { code: "BACKEND_FUNCTION_FAILED", message: expect.stringContaining("red") },
      durationMs: expect.any(Number),
    },
    {
      stepId: "types",
      status: "fulfilled",
      success: true,
      result: { result: "fine" },
      error: null,
      durationMs: expect.any(Number),
    },
  ]);
  // `next` went on, but nothing made up for the failure (Truth).
  expect(run.outcome).toBe("failed");
  expect(failuresIn(run)).toEqual({
    "parallel-tests/lint": "BACKEND_FUNCTION_FAILED",
    "parallel-tests": "STEP_CHILDREN_FAILED",
  });
});

test("a failed parallel goes to on_error where it has one, which handles what failed inside [STP-7]", async () => {
  const run = await runStepsInMemory(
    {
      agents: agents("a", "b"),
      steps: [
        {
          id: "both",
          type: "parallel",
          steps: [ask("a"), ask("b")],
          routes: { next: "never", on_error: "repair" },
        },
        take("repair", "errors.a.code"),
        take("never", "1"),
      ],
    },
    { functions: { a: fails, b: () => "ok" } },
  );
  expect(run.outcome).toBe("completed");
  expect(dataIn(run)["repair"]).toBe("BACKEND_FUNCTION_FAILED");
});

test("min_success lets some fail, and then their failures do not count [STP-7]", async () => {
  const flow = (min_success: number) =>
    runStepsInMemory(
      {
        agents: agents("a", "b", "c"),
        steps: [
          {
            id: "vote",
            type: "parallel",
            settings: { min_success },
            steps: [ask("a"), ask("b"), ask("c")],
          },
        ],
      },
      { functions: { a: fails, b: () => "yes", c: () => "yes" } },
    );
  const enough = await flow(2);
  expect(enough.outcome).toBe("completed");
  expect(enough.all("step-completed").at(-1)).toMatchObject({
    path: "vote",
    output: "2 of 3 succeeded",
  });
  const tooFew = await flow(3);
  expect(tooFew.outcome).toBe("failed");
  expect(messagesIn(tooFew)["vote"]).toMatch(
    /^1 of 3 inside of step "vote" failed, and 3 had to succeed \(min_success\): a: .*red/,
  );
});

/** An agent that counts how often it works at the same time. */
function counted(answer: (given: { item: { name: string }; index: number }) => Json) {
  let working = 0;
  let most = 0;
  const check: AgentFunction = async ({ task }) => {
    working += 1;
    most = Math.max(most, working);
    await new Promise((resolve) => setImmediate(resolve));
    working -= 1;
    return answer(JSON.parse(task));
  };
  return { check, most: () => most };
}

test("for_each runs a step for each item with item and index, at most max_concurrency at once [STP-7]", async () => {
  const { check, most } = counted(({ item, index }) => ({ file: item.name, index }));
  const run = await runStepsInMemory(
    {
      agents: agents("checker"),
      steps: [
        {
          id: "all-files",
          type: "parallel",
          settings: { for_each: "input.files", max_concurrency: 3 },
          steps: [{ ...ask("check", "checker"), output: "checks" }],
          routes: { next: "sum" },
        },
        take("sum", "length(context.checks)"),
      ],
    },
    {
      input: { files: Array.from({ length: 10 }, (_, index) => ({ name: `f${index}` })) },
      functions: { checker: check },
    },
  );
  expect(run.outcome).toBe("completed");
  expect(most()).toBe(3);
  const data = dataIn(run);
  const expected = Array.from({ length: 10 }, (_, index) => ({ file: `f${index}`, index }));
  expect(data["check"]).toEqual(expected);
  expect(data["checks"]).toEqual(expected);
  expect(data["sum"]).toBe(10);
  expect(data["all-files"]).toMatchObject(
    expected.map((result, index) => ({ stepId: "check", status: "fulfilled", result, index })),
  );
  expect(run.all("step-completed").map(({ path }) => path)).toContain("all-files[3]/check");
});

test.each([
  [8, {}, {}],
  [5, {}, { maxConcurrency: 5 }],
  [20, { max_concurrency: 20 }, { maxConcurrency: 5 }],
])(
  "%i items of a for_each are worked on at once where its step says %o and its workflow %o [STP-7]",
  async (wanted, own, ofAll) => {
    const { check, most } = counted(() => null);
    const steps = [
      {
        id: "all",
        type: "parallel",
        settings: { for_each: "input", ...own },
        steps: [ask("check", "checker")],
      },
    ];
    const input = Array.from({ length: 30 }, () => ({}));
    const functions = { checker: check };
    await runStepsInMemory({ agents: agents("checker"), steps, ...ofAll }, { input, functions });
    expect(most()).toBe(wanted);
  },
);

test("an item that fails leaves its place empty, and the others are there [STP-7, STP-16]", async () => {
  const run = await runStepsInMemory(
    {
      steps: [
        {
          id: "each",
          type: "parallel",
          settings: { for_each: "input" },
          steps: [take("name", "item.name")],
          routes: { on_error: "after" },
        },
        take("after", "context.name"),
      ],
    },
    { input: [{ name: "a" }, {}, { name: "c" }] },
  );
  expect(run.outcome).toBe("completed");
  expect(dataIn(run)["after"]).toEqual(["a", null, "c"]);
  expect(failuresIn(run)).toEqual({
    "each[1]/name": "EXPRESSION_UNKNOWN_PATH",
    each: "STEP_CHILDREN_FAILED",
  });
  expect(messagesIn(run)["each"]).toMatch(/^1 of 3 inside of step "each" failed: name\[1\]: /);
});

test("an empty list is done at once, and what is no list is an error [STP-7]", async () => {
  const each = (input: Json) =>
    runStepsInMemory(
      {
        steps: [
          {
            id: "each",
            type: "parallel",
            settings: { for_each: "input" },
            steps: [take("x", "item")],
          },
        ],
      },
      { input },
    );
  const empty = await each([]);
  expect(empty.outcome).toBe("completed");
  expect(dataIn(empty)).toEqual({ each: [], x: [] });
  expect(messagesIn(await each({ a: 1 }))).toEqual({
    each: 'step "each" goes through input, which is an object and no list',
  });
});

test("parallel inside of for_each sees the item, and all of it is addressed by its place [STP-7]", async () => {
  const run = await runStepsInMemory(
    {
      steps: [
        {
          id: "each",
          type: "parallel",
          settings: { for_each: "input" },
          steps: [
            {
              id: "both",
              type: "parallel",
              steps: [take("first", "item"), take("second", "index")],
            },
          ],
        },
      ],
    },
    { input: ["a", "b"] },
  );
  expect(
    run
      .all("step-completed")
      .map(({ path }) => path)
      .sort(),
  ).toEqual([
    "each",
    "each[0]/both",
    "each[0]/both/first",
    "each[0]/both/second",
    "each[1]/both",
    "each[1]/both/first",
    "each[1]/both/second",
  ]);
});

test("results do not depend on who is done first [STP-7]", async () => {
  const flow = async (order: readonly string[]) => {
    const waiting = new Map<string, () => void>();
    const release = async () => {
      for (const name of order) {
        waiting.get(name)?.();
        await settle(20);
      }
    };
    const waits: AgentFunction = ({ agent }) =>
      new Promise((resolve, reject) => {
        waiting.set(agent, () => resolve(`by ${agent}`));
        if (waiting.size === order.length) release().catch(reject);
      });
    const run = await runStepsInMemory(
      {
        agents: agents("a", "b", "c"),
        steps: [{ id: "all", type: "parallel", steps: [ask("a"), ask("b"), ask("c")] }],
      },
      { functions: { a: waits, b: waits, c: waits } },
    );
    const done = run.all("step-completed").map(({ step }) => step);
    return { done, data: JSON.stringify(dataIn(run)).replace(/"durationMs":\d+/g, "") };
  };
  const first = await flow(["a", "b", "c"]);
  const second = await flow(["c", "a", "b"]);
  expect([first.done, second.done]).toEqual([
    ["a", "b", "c", "all"],
    ["c", "a", "b", "all"],
  ]);
  expect(second.data).toBe(first.data);
  expect(first.data).toContain("by b");
});

test("what a parallel step cannot mean is found at load [STP-7, STP-16]", () => {
  const keysOf = (settings: Json, nestedAs: "step" | "steps", nestedCount = 1) =>
    parallelStep
      .check?.(parallelStep.settings.parse(settings), {
        nestedCount,
        nestedAs,
        routes: [],
      })
      .map(({ key }) => key);
  expect(keysOf({}, "steps", 2)).toEqual([]);
  expect(keysOf({ for_each: "input" }, "step")).toEqual([]);
  expect(keysOf({ for_each: "input", min_success: 50 }, "step")).toEqual([]);
  expect(keysOf({}, "step")).toEqual(["step"]);
  expect(keysOf({ for_each: "input" }, "steps")).toEqual(["steps"]);
  expect(keysOf({ min_success: 3 }, "steps", 2)).toEqual(["min_success"]);
});
