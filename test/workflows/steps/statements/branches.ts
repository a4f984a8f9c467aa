import { expect } from "vitest";
import type { Json } from "../../../../src/foundation/json.ts";
import { codesOf, fail, run, runSteps, type SourceAgent } from "./source-run.ts";
import { statements } from "./statement.ts";

const known: { readonly [name: string]: Json } = {
  test: { success: true, passed: 15, name: "unit", none: null, deep: { list: [{ n: 1 }] } },
  "parallel-tests": { success: true, count: 2 },
};
const value = (id: string) => ({ id, type: "transform", transform: "1" });
const way = (condition: string, more: object = {}) => ({
  ...{ id: "c", type: "condition", condition, then: "yes", else: "no" },
  ...more,
});

/** Where a condition leads over the data above: `yes`, `no`, or the code of what went wrong. */
async function wayOf(condition: string): Promise<string> {
  const steps = [way(condition), value("yes"), value("no")];
  const written = { id: "f", initial_context: known, steps };
  const [code] = codesOf(written);
  if (code !== undefined) return code;
  const end = await run(written);
  return end.flow.path[1] ?? end.all("step-failed")[0]?.error.code ?? "nowhere";
}

async function expectWays(ways: { readonly [condition: string]: string }): Promise<void> {
  const found: { [condition: string]: string } = {};
  for (const condition of Object.keys(ways)) found[condition] = await wayOf(condition);
  expect(found).toEqual(ways);
}

const transform = async (expression: string, more: object = {}) => {
  const step = { id: "t", type: "transform", transform: expression, ...more };
  const steps = [step, { id: "after", type: "transform", transform: "1" }];
  const reached = Object.keys(more).length > 0 ? steps : [step];
  return run({ id: "f", initial_context: known, steps: reached });
};

/** What the source says of conditions, expressions and transforms. */
export const branches = statements([
  {
    says: "a condition goes on with `then` when it is true and with `else` when it is false",
    check: () =>
      expectWays({
        "context.test.success === true": "yes",
        "context.test.success === false": "no",
      }),
  },
  {
    says: "the data of a condition is {result}",
    check: async () => {
      const { flow } = await runSteps([way("true"), value("yes"), value("no")]);
      expect(flow.context["c"]).toEqual({ result: true });
    },
  },
  {
    says: "where the way that is taken has no step, the path ends",
    check: async () => {
      const end = await runSteps([
        { id: "c", type: "condition", condition: "false", then: "yes" },
        value("yes"),
      ]);
      expect(end).toMatchObject({ outcome: "completed", flow: { path: ["c"] } });
    },
  },
  {
    says: "=== and !== compare",
    check: () =>
      expectWays({
        "context.test.passed === 15": "yes",
        "context.test.passed !== 15": "no",
        'context.test.passed === "15"': "no",
      }),
  },
  {
    says: "the pattern of the sketch reads >= as > and something, here >= and <= are what they are",
    decidedBy: "WF-5",
    check: () =>
      expectWays({
        "context.test.passed > 15": "no",
        "context.test.passed >= 15": "yes",
        "context.test.passed < 15": "no",
        "context.test.passed <= 15": "yes",
      }),
  },
  {
    says: "values are true, false, null, numbers and quoted texts",
    check: () =>
      expectWays({
        "context.test.none === null": "yes",
        'context.test.name === "unit"': "yes",
        "context.test.name === 'unit'": "yes",
        "context.test.passed === 15.0": "yes",
      }),
  },
  {
    says: "the sketch takes a word without quotes for a text, so that a misspelt path is one: here it is a path",
    decidedBy: "STP-18",
    check: () => expectWays({ "context.test.name === unit": "EXPRESSION_UNKNOWN_PATH" }),
  },
  {
    says: "a step whose id has a hyphen can be asked in brackets and with dots; the sketch knows neither",
    decidedBy: "STP-6",
    check: () =>
      expectWays({
        'context["parallel-tests"].success === true': "yes",
        "context.parallel-tests.success === true": "yes",
        "context.parallel-tests.count === 2": "yes",
      }),
  },
  {
    says: "the sketch reads one field; here paths go as deep as the data",
    decidedBy: "WF-5",
    check: () => expectWays({ "context.test.deep.list[0].n === 1": "yes" }),
  },
  {
    says: "conditions can be joined",
    decidedBy: "WF-5",
    check: () =>
      expectWays({
        "context.test.success && context.test.passed > 10": "yes",
        "!context.test.success || context.test.passed > 20": "no",
        'context.test.name in ["unit", "e2e"]': "yes",
      }),
  },
  {
    says: "`context.X.success` is the data's own member, and else whether the step succeeded",
    decidedBy: "STP-6",
    check: async () => {
      const steps = [
        { id: "test", type: "agent", agent: "x", on_error: "c", next: "c" },
        way("context.test.success === true"),
        ...["yes", "no"].map(value),
      ];
      const after = async (x: SourceAgent) =>
        (await runSteps(steps, { agents: { x } })).flow.path.at(-1);
      expect(await after(() => ({ success: false }))).toBe("no");
      expect(await after(() => ({ passed: 1 }))).toBe("yes");
      expect(await after(fail)).toBe("no");
    },
  },
  {
    says: "the sketch takes `else` when a condition cannot be evaluated; here that is a failure, and the run fails",
    decidedBy: "STP-6",
    check: async () => {
      await expectWays({ "context.test.nothing === true": "EXPRESSION_UNKNOWN_PATH" });
      const steps = [way("input.ready"), value("yes"), value("no")];
      expect(await runSteps(steps, { input: {} })).toMatchObject({
        outcome: "failed",
        flow: { path: ["c"] },
      });
    },
  },
  {
    says: "a condition that cannot be evaluated goes to `on_error`",
    decidedBy: "STP-6",
    check: async () => {
      const steps = [way("input.ready", { on_error: "ask" }), ...["yes", "no", "ask"].map(value)];
      const end = await runSteps(steps, { input: {} });
      expect(end).toMatchObject({ outcome: "completed", flow: { path: ["c", "ask"] } });
    },
  },
  {
    says: "the type calls it a JavaScript expression, the text says no eval: nothing is ever run",
    decidedBy: "WF-5",
    check: () =>
      expectWays({
        "process.exit()": "EXPRESSION_SYNTAX",
        "context.test.constructor === true": "EXPRESSION_UNKNOWN_PATH",
        "(() => true)()": "EXPRESSION_SYNTAX",
        "context.test = 1": "EXPRESSION_SYNTAX",
      }),
  },
  {
    says: "a condition that cannot be read is found when the workflow is loaded",
    decidedBy: "WF-5",
    check: () => expectWays({ "context.test.success ===": "EXPRESSION_SYNTAX" }),
  },
  {
    says: "a transform keeps the value of a path under its id",
    check: async () => {
      expect((await transform("context.test.deep.list")).flow.context).toMatchObject({
        t: [{ n: 1 }],
      });
    },
  },
  {
    says: "a transform keeps it under its `output` too",
    check: async () => {
      const end = await transform("context.test.passed", { output: "passed", next: "after" });
      expect(end.flow.context).toMatchObject({ t: 15, passed: 15 });
    },
  },
  {
    says: "a transform may be any expression, and `context.` may begin the path of a whole step",
    decidedBy: "STP-9",
    check: async () => {
      expect((await transform("context.test.passed >= 10")).flow.output).toBe(true);
      expect((await transform("context.parallel-tests")).flow.output).toEqual(
        known["parallel-tests"],
      );
    },
  },
  {
    says: "a transform whose path leads nowhere has failed: its way is `on_error`",
    check: async () => {
      expect(await transform("context.test.nothing")).toMatchObject({ outcome: "failed" });
      const handled = await transform("context.test.nothing", { on_error: "after" });
      expect(handled).toMatchObject({ outcome: "completed", flow: { path: ["t", "after"] } });
    },
  },
  {
    says: "a transform of the data of a step that failed has failed",
    check: async () => {
      const steps = [
        { id: "a", type: "agent", agent: "x", on_error: "t", next: "t" },
        { id: "t", type: "transform", transform: "context.a.files" },
      ];
      expect(await runSteps(steps, { agents: { x: fail } })).toMatchObject({ outcome: "failed" });
    },
  },
]);
