import { expect, test } from "vitest";
import type { WorkflowContext } from "../../../src/contracts/step-context.ts";
import { factsOfNothing, type StepFacts } from "../../../src/contracts/step-facts.ts";
import { createStepScope } from "../../../src/programs/flow/step-scope.ts";
import { StepTexts } from "../../../src/programs/flow/step-texts.ts";
import { done, failed, startOf } from "./step-records.ts";

function scopeOf(context: WorkflowContext, names: Parameters<typeof createStepScope>[2] = {}) {
  return createStepScope(new StepTexts(), context, names);
}

const children = [{ stepId: "unit", success: true, result: { passed: 50 } }];
const context = startOf({ given: { success: "own" } }, { task: "build" })
  .addResult(done("plan", { files: ["a.ts"], success: "of the data" }))
  .addResult(failed("test"))
  .addResult(failed("parallel-tests", { data: children, code: "STEP_CHILDREN_FAILED" }))
  .addResult(done("extract", ["a.ts"], { output: "files" }));

test("a path looks into the data of a step, then at what else is known of it, also when it failed [STP-6, STP-16]", () => {
  const scope = scopeOf(context);
  for (const [path, value] of [
    ["context.plan.files[0]", "a.ts"],
    ["context.plan.success", "of the data"],
    ["context.given.success", "own"],
    ["context.test.success === false", true],
    ["context.test.error.code", "TEST_FAILED"],
    ["context.test.durationMs", 1000],
    ["context.test.duration", 1000],
    ["context.plan.error", null],
    ['context["parallel-tests"].success === true', false],
    ["context.parallel-tests.success", false],
    ["context.parallel-tests.data[0].result.passed", 50],
    ["context.parallel-tests[0].stepId", "unit"],
    ["context.files[0]", "a.ts"],
    ["context.files.success", true],
    ["errors.test.code", "TEST_FAILED"],
    ["exists(context.test)", false],
    ["exists(errors.plan)", false],
    ["input.task", "build"],
  ] as const)
    expect(scope.value(path), path).toEqual(value);
});

test("what cannot be evaluated is an error, never false [STP-6]", () => {
  const scope = scopeOf(context);
  for (const path of [
    "context.later.success === true",
    "context.test",
    "context.test.passed",
    "context.plan.toString",
    "context.plan.files.length",
    "errors.plan.code",
    "item",
    "nobody",
  ])
    expect(() => scope.holds(path), path).toThrow(
      expect.objectContaining({ code: "EXPRESSION_UNKNOWN_PATH" }),
    );
});

test("a step is given input and context, errors when there are some, what its input names, and its own names [STP-5]", () => {
  expect(scopeOf(startOf()).toInput()).toEqual({ input: "task", context: {} });
  const scope = scopeOf(context, { input: "files", names: { item: 3, index: 0 } });
  expect(scope.toInput()).toEqual({
    input: { task: "build" },
    context: {
      given: { success: "own" },
      plan: { files: ["a.ts"], success: "of the data" },
      "parallel-tests": children,
      extract: ["a.ts"],
      files: ["a.ts"],
    },
    errors: {
      test: { code: "TEST_FAILED", message: "test failed" },
      "parallel-tests": { code: "STEP_CHILDREN_FAILED", message: "parallel-tests failed" },
    },
    files: ["a.ts"],
    item: 3,
    index: 0,
  });
  expect(scope.value("[item, index, files]")).toEqual([3, 0, ["a.ts"]]);
});

test("in a template what is missing of the context is empty, and any other unknown name an error [WF-13, STP-5]", () => {
  const scope = scopeOf(context, { input: "plan" });
  expect(
    scope.text("{{plan.files}} {{context.later.x}}{{#if context.later}}a{{else}}b{{/if}}"),
  ).toBe('["a.ts"] b');
  expect(() => scope.text("{{plam.files}}")).toThrow(
    expect.objectContaining({ code: "WORKFLOW_UNKNOWN_VARIABLE" }),
  );
});

const facts: StepFacts = {
  status: "failed",
  ...{ output: "told", text: "told", outcome: "STEP_SHELL_FAILED" },
  ...{ exitCode: 3, stdout: "told", stderr: "no", attempts: 1, durationMs: 5 },
  error: { code: "STEP_SHELL_FAILED", message: "it failed", report: "exit 3: no" },
};
const ended = startOf().addResult(failed("test", { facts, output: "log" }));

test("a text has the report of an error, a condition the error itself [LANG-4.text, LANG-4.condition]", () => {
  const scope = scopeOf(ended);
  expect(scope.text("{{steps.test.error}}|{{steps.test.error.code}}")).toBe(
    "exit 3: no|STEP_SHELL_FAILED",
  );
  expect(scope.value("steps.test.error")).toEqual(facts.error);
  expect(scope.text("{{#if steps.test.error}}failed{{/if}}")).toBe("failed");
});

test("of a step that has not run there is nothing in a text, and a condition fails [LANG-4.text, LANG-4.condition]", () => {
  const scope = scopeOf(ended);
  expect(scope.text("[{{steps.later.output}}]{{#if steps.later.error}}x{{/if}}")).toBe("[]");
  expect(scope.value("exists(steps.later.status)")).toBe(false);
  expect(() => scope.value("steps.later.status")).toThrow(
    expect.objectContaining({ code: "EXPRESSION_UNKNOWN_PATH" }),
  );
  // It is a name for data, not of a step.
  expect(scope.value("exists(steps.log.status)")).toBe(false);
});

test("in a run of format 1 nothing is called `steps` [REP-1.one]", () => {
  const scope = scopeOf(ended, { format: 1 });
  expect(() => scope.value("steps.test.status")).toThrow(
    expect.objectContaining({ code: "EXPRESSION_UNKNOWN_PATH" }),
  );
});

test("what a file calls `steps` itself is that [LANG-3.members]", () => {
  const scope = scopeOf(ended, { names: { steps: { test: "own" } } });
  expect(scope.text("{{steps.test}}")).toBe("own");
});

test.each([
  ["error", 'error of step "test"'],
  ["output", 'output of step "test"'],
  ["exitCode", undefined],
])(
  "a prompt says where the %s of a step is from, if it holds words of others [LANG-12]",
  (member, source) => {
    const [part] = scopeOf(ended).prompt(`{{steps.test.${member}}}`);
    expect(part?.source).toBe(source);
  },
);

test("a step that is skipped is so for those after it only if it has not run before [LANG-4.condition]", () => {
  const skipped = done("test", null, { isSkipped: true, facts: factsOfNothing("skipped") });
  expect(scopeOf(startOf().addResult(skipped)).value("steps.test.status")).toBe("skipped");
  expect(scopeOf(ended.addResult(skipped)).value("steps.test.status")).toBe("failed");
  expect(startOf().addResult(skipped).fingerprint).toBe(startOf().fingerprint);
});
