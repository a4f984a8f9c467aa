import { describe, expect, test } from "vitest";
import { checkInput } from "../../../../src/app/workflow/check-input.ts";
import { stepTypesIn } from "../../../../src/app/workflow/shapes/find-step-type.ts";
import { shapeOf } from "../../../../src/app/workflow/shapes/registry.ts";
import { readRecipe, writeRecipe } from "../../../../src/app/workflow/shapes/run-recipe.ts";
import { toStepsResult } from "../../../../src/app/workflow/shapes/steps-result.ts";
import type { EventData } from "../../../../src/contracts/events/event.ts";
import type { VerificationSpec } from "../../../../src/contracts/step.ts";
import { foldAll } from "../../../../src/fold/fold.ts";
import { loadStepTypes } from "../../../../src/programs/steps/registry.ts";
import { defineTestWorkflow } from "../../../../src/testing/define-test-workflow.ts";
import { defineStepWorkflow } from "../../../../src/testing/run-workflow-in-memory.ts";
import { created, journal, started } from "../../../fold/journal-builder.ts";

const types = stepTypesIn(await loadStepTypes());
const step = (path: string, execution = 1) => ({
  note: `${path}#${execution}`,
  step: path.split("/").at(-1) ?? "",
  path,
  execution,
});
const done = (path: string, output: string, execution = 1): EventData => ({
  ...step(path, execution),
  type: "step-completed",
  attempt: 1,
  output,
  reason: "exit",
  durationMs: 1,
});
const failed = (path: string, more: object = {}): EventData => ({
  ...step(path),
  type: "step-failed",
  attempt: 1,
  error: { code: "RED", message: "red", retryable: false },
  durationMs: 1,
  ...more,
});

test("a definition with steps in steps and workflows of every shape comes back from a journal as it was [ENG-14]", async () => {
  const definition = defineStepWorkflow({
    name: "outer",
    agents: [{ id: "coder" }],
    steps: [
      {
        id: "all",
        type: "parallel",
        settings: { for_each: "input.files" },
        steps: [{ id: "round", type: "loop", steps: [{ id: "draft", type: "agent" }] }],
      },
    ],
    initialContext: { list: [1, { a: null }] },
    workflows: {
      pattern: defineTestWorkflow({ agents: [{ id: "a" }] }),
      inner: defineStepWorkflow({ steps: [{ id: "one", type: "transform" }] }),
    },
  });
  const { text } = writeRecipe({ definition });
  expect((await readRecipe("run_a", text)).definition).toEqual(definition);
});

test("the program of step workflows is found by its name in the journal [ENG-14]", async () => {
  const shape = await shapeOf({ shape: "steps" });
  expect((await shape.programNamed("steps"))?.name).toBe("steps");
  expect(await shape.programNamed("pattern/dag")).toBe(undefined);
});

describe("the result of a run that was cut short", () => {
  const definition = defineStepWorkflow({
    initialContext: { style: "short" },
    steps: [
      { id: "plan", type: "agent", output: "outline" },
      { id: "tests", type: "parallel", steps: [{ id: "unit", type: "agent" }] },
      {
        id: "all",
        type: "parallel",
        settings: { for_each: "input" },
        steps: [{ id: "check", type: "agent" }],
      },
      { id: "refine", type: "loop", steps: [{ id: "draft", type: "agent" }] },
      { id: "never", type: "agent" },
    ],
  });
  const resultOf = (...events: readonly EventData[]) =>
    toStepsResult(
      foldAll("run_a", journal([created, started, ...events])),
      { definition, types },
      undefined,
    );

  test("has the data of steps by every name under which steps see it [STP-5, LIM-1.turns]", () => {
    expect(resultOf(done("plan", '{"title":"x"}'), done("tests/unit", "green")).context).toEqual({
      style: "short",
      plan: { title: "x" },
      outline: { title: "x" },
      unit: { result: "green" },
    });
  });

  test("has the latest of several rounds, and a list for each item of a list [STP-5, LIM-1.turns]", () => {
    const { context } = resultOf(
      done("refine[1]/draft", "first"),
      done("refine[2]/draft", "second"),
      done("all[2]/check", "c"),
      failed("all[0]/check"),
    );
    expect(context).toMatchObject({
      draft: { result: "second" },
      check: [null, null, { result: "c" }],
    });
  });

  test("has the data of a failed step, the way as it was, and the output of the last step [STP-5]", () => {
    const result = resultOf(
      done("plan", "one"),
      done("tests/unit", "green"),
      failed("tests", { data: [{ stepId: "unit", success: false }] }),
      done("plan", "two", 2),
      { ...step("never"), type: "step-skipped", reason: "when: false" },
      { ...step("all"), type: "step-started", attempt: 1 },
    );
    expect(result.path).toEqual(["plan", "tests", "plan"]);
    expect(result.context).toMatchObject({
      tests: [{ stepId: "unit", success: false }],
      plan: { result: "two" },
    });
    expect(result.output).toBe("two");
    expect(resultOf(done("plan", "one")).output).toBe("one");
  });

  test("is empty when nothing was done [STP-5]", () => {
    expect(resultOf()).toEqual({ output: null, context: { style: "short" }, path: [] });
  });
});

describe("what uses the input", () => {
  const missing = async (workflow: Parameters<typeof defineStepWorkflow>[0]) => {
    const { errors } = await checkInput(defineStepWorkflow(workflow), { params: {} });
    return errors.map(({ message }) => message);
  };
  const coder = { id: "coder" };
  const asks = (settings: object) => ({
    agents: [coder],
    steps: [{ id: "plan", type: "agent", settings: { agent: "coder", ...settings } }],
  });
  const USED = 'step "one" uses input';
  const checked = (check: VerificationSpec) => ({
    steps: [{ id: "one", type: "transform", settings: { transform: "1" }, verify: [check] }],
  });

  test.each([
    ["a prompt", asks({ prompt: "{{#if input.a}}x{{/if}}" }), 'step "plan" uses input'],
    ["an agent without a prompt", asks({}), 'step "plan" has no prompt of its own'],
    [
      "the prompt of an agent's type",
      { ...asks({ prompt: "go" }), prompts: { coder: "{{input}}" } },
      'agent "coder" uses {{input}}',
    ],
    [
      "the environment of an agent",
      { ...asks({ prompt: "go" }), agents: [{ ...coder, env: { GOAL: "{{input.goal}}" } }] },
      'agent "coder" uses {{input}}',
    ],
    [
      "a condition",
      { steps: [{ id: "gate", type: "condition", settings: { condition: "input.a == 1" } }] },
      'step "gate" uses input',
    ],
    [
      "a step inside of another",
      {
        steps: [
          {
            id: "all",
            type: "parallel",
            steps: [{ id: "inner", type: "transform", settings: { transform: "input" } }],
          },
        ],
      },
      'step "inner" uses input',
    ],
    ["a check", checked({ kind: "command", command: "test {{input.a}}", expectExit: 0 }), USED],
    ["a check of a file", checked({ kind: "fileExists", path: "{{input.a}}.md" }), USED],
    [
      "a child that takes it",
      {
        steps: [{ id: "child", type: "workflow", settings: { workflow: "inner" } }],
        workflows: {
          inner: defineStepWorkflow({
            steps: [{ id: "t", type: "transform", settings: { transform: "input" } }],
          }),
        },
      },
      'step "child" hands it to a workflow that needs one',
    ],
  ])("%s makes it needed [STP-5]", async (_, workflow, user) => {
    expect(await missing(workflow)).toEqual([`workflow "test" needs an input: ${user}`]);
  });

  test("programs get along without, and so does whatever does not name it [STP-5]", async () => {
    const command = { ...coder, backend: "command", settings: { command: "cat" } };
    expect(await missing({ ...asks({}), agents: [command] })).toEqual([]);
    expect(await missing(asks({ prompt: "go on with {{context.input}}" }))).toEqual([]);
  });

  test("an input that nothing uses is a warning, and null is one too [STP-5]", async () => {
    const definition = defineStepWorkflow(asks({ prompt: "go" }));
    const codes = async (input: null | string) => {
      const { warnings } = await checkInput(definition, { params: {}, input });
      return warnings.map(({ code }) => code);
    };
    expect(await codes("x")).toEqual(["WORKFLOW_TASK_UNUSED"]);
    expect(await codes(null)).toEqual(["WORKFLOW_TASK_UNUSED"]);
  });
});

test("at most so many steps at a time is a matter of the definition [LIM-1.turns]", async () => {
  const definition = defineStepWorkflow({ steps: [{ id: "a", type: "transform" }] });
  const shape = await shapeOf(definition);
  expect(shape.withMaxConcurrency(definition, 2)).toEqual({ ...definition, maxConcurrency: 2 });
});
