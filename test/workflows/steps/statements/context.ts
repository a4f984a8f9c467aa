import { expect } from "vitest";
import { done, failed, startOf } from "../../../programs/flow/step-records.ts";
import { fail, run, runSteps } from "./source-run.ts";
import { statements } from "./statement.ts";

const agent = (id: string, more: object = {}) => ({ id, type: "agent", agent: id, ...more });

/** What the source says of the context and of results. */
export const context = statements([
  {
    says: "a context is not changed by addResult: the one before has no result, the new one has it",
    check: () => {
      const before = startOf();
      const after = before.addResult(done("step1", "result"));
      expect(before.results.size).toBe(0);
      expect(after.results.size).toBe(1);
      expect(after.getResult("step1")?.data).toBe("result");
    },
  },
  {
    says: "iterations are counted in contexts of their own: 0, 1, 2",
    check: () => {
      const first = startOf();
      const second = first.withIteration();
      const counts = [first, second, second.withIteration()].map(
        ({ metadata }) => metadata.iterationCount,
      );
      expect(counts).toEqual([0, 1, 2]);
    },
  },
  {
    says: "errors are counted in contexts of their own",
    check: () => {
      const first = startOf();
      const second = first.withStep("a", true);
      expect([first, second].map(({ metadata }) => metadata.errorCount)).toEqual([0, 1]);
    },
  },
  {
    says: "a context begins without results, steps, iterations and errors",
    check: () => {
      const { metadata, results, history } = startOf();
      expect({ ...metadata, results: results.size, history }).toEqual({
        currentStep: "",
        previousSteps: [],
        iterationCount: 0,
        errorCount: 0,
        results: 0,
        history: [],
      });
    },
  },
  {
    says: "a context has workflowId, startTime and input; the time is text, because contexts are plain JSON",
    decidedBy: "STP-5",
    check: () => {
      expect(startOf({}, { foo: "bar" })).toMatchObject({
        workflowId: "test",
        startTime: "2026-01-01T00:00:00.000Z",
        input: { foo: "bar" },
      });
    },
  },
  {
    says: "metadata names the current step and all before it, in order",
    check: () => {
      const { metadata } = startOf()
        .addResult(done("a", 1))
        .withStep("a", false)
        .addResult(done("b", 2))
        .withStep("b", false);
      expect(metadata).toMatchObject({ currentStep: "b", previousSteps: ["a", "b"] });
    },
  },
  {
    says: "a step's result has stepId, success, data, times and duration",
    check: () => {
      expect(startOf().addResult(done("a", 1)).getResult("a")).toEqual({
        stepId: "a",
        success: true,
        data: 1,
        startTime: "2026-01-01T00:00:01.000Z",
        endTime: "2026-01-01T00:00:02.000Z",
        durationMs: 1000,
      });
    },
  },
  {
    says: "a failed step's result has its error and no data",
    check: () => {
      const record = startOf().addResult(failed("a")).getResult("a");
      expect(record).toMatchObject({ success: false, data: null, error: { code: "TEST_FAILED" } });
    },
  },
  {
    says: "nothing that a step is given can be changed for others",
    check: () => {
      const { context: shared } = { context: startOf().addResult(done("a", { list: [1] })) };
      const data = shared.dataOf("a");
      expect(() => Object.assign(data ?? {}, { list: [] })).toThrow(TypeError);
      expect(shared.dataOf("a")).toEqual({ list: [1] });
    },
  },
  {
    says: "a step that runs again replaces its result; what it came to before stays in the history",
    decidedBy: "STP-5",
    check: () => {
      const twice = startOf().addResult(done("a", 1)).addResult(done("a", 2));
      expect(twice.getResult("a")?.data).toBe(2);
      expect(twice.history.map(({ data }) => data)).toEqual([1, 2]);
      expect(twice.results.size).toBe(1);
    },
  },
  {
    says: "one text of the source injects the results of all steps, the other those of successful ones: these, and what failed ones left",
    decidedBy: "STP-5",
    check: async () => {
      const end = await runSteps([agent("a", { on_error: "b" }), agent("b")], {
        agents: { a: fail },
      });
      expect(end.given.at(-1)).toMatchObject(["b", { context: {} }]);
      const left = startOf().addResult(failed("a", { data: [1] }));
      expect(left.toData()).toEqual({ a: [1] });
    },
  },
  {
    says: "who handles an error can see which: `errors` has the last one of each step",
    decidedBy: "STP-5",
    check: async () => {
      const end = await runSteps([agent("a", { on_error: "b" }), agent("b")], {
        agents: { a: fail },
      });
      const { errors } = end.given.at(-1)?.[1] ?? {};
      expect(errors).toEqual({
        a: { code: "BACKEND_FUNCTION_FAILED", message: expect.stringContaining("no luck") },
      });
    },
  },
  {
    says: "the first agent gets the input and an empty context",
    check: async () => {
      const end = await runSteps([agent("plan")], { input: "Build a dark mode toggle" });
      expect(end.given).toEqual([["plan", { input: "Build a dark mode toggle", context: {} }]]);
    },
  },
  {
    says: "one `prepareInput` gives the agent the workflow's input alone, the other the object with the context: the object",
    decidedBy: "STP-5",
    check: async () => {
      const end = await runSteps([agent("a", { next: "b" }), agent("b")], {
        input: { input: "test" },
      });
      expect(end.given.at(-1)).toEqual([
        "b",
        { input: { input: "test" }, context: { a: { result: "a" } } },
      ]);
    },
  },
  {
    says: "the object that an agent answers is its data as it is",
    check: async () => {
      const end = await runSteps([agent("a")], { agents: { a: () => ({ output: "success" }) } });
      expect(end.flow.context).toEqual({ a: { output: "success" } });
    },
  },
  {
    says: "an answer in words is kept as `result`, one with fenced JSON as that JSON",
    decidedBy: "STP-10",
    check: async () => {
      const answers = { a: () => "done it", b: () => 'Here:\n```json\n{"n": 1}\n```' };
      const end = await runSteps([agent("a", { next: "b" }), agent("b")], { agents: answers });
      expect(end.flow.context).toEqual({ a: { result: "done it" }, b: { n: 1 } });
    },
  },
  {
    says: "agents are loaded when they are first used, once",
    check: async () => {
      const steps = [
        agent("a", { next: "again" }),
        agent("again", { agent: "a", next: "way" }),
        { id: "way", type: "condition", condition: "true", then: "end", else: "never" },
        { id: "end", type: "transform", transform: "1" },
        agent("never"),
      ];
      const end = await runSteps(steps);
      expect(end.all("agent-spawned").map((event) => event.agent)).toEqual(["a"]);
    },
  },
  {
    says: "two steps in a row both have their results in the end",
    check: async () => {
      const answers = {
        agents: { step1: () => ({ data: "result1" }), step2: () => ({ data: "result2" }) },
      };
      const end = await runSteps([agent("step1", { next: "step2" }), agent("step2")], {
        input: { input: "test" },
        ...answers,
      });
      expect(end).toMatchObject({
        outcome: "completed",
        flow: { context: { step1: { data: "result1" }, step2: { data: "result2" } } },
      });
    },
  },
  {
    says: "the result of a run has its context; output and path stand beside it",
    decidedBy: "STP-17",
    check: async () => {
      const end = await run({ id: "f", steps: [agent("a")] });
      expect(end.flow).toEqual({ output: "a", context: { a: { result: "a" } }, path: ["a"] });
    },
  },
]);
