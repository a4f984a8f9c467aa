import { expect, test } from "vitest";
import type { StepsDefinition } from "../../../src/contracts/definition.ts";
import type { WorkflowContext } from "../../../src/contracts/step-context.ts";
import { factsOfNothing } from "../../../src/contracts/step-facts.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { InputPrint } from "../../../src/programs/flow/input-print.ts";
import { referencesOf } from "../../../src/programs/flow/references.ts";
import { createStepScope } from "../../../src/programs/flow/step-scope.ts";
import { defineStepWorkflow } from "../../../src/testing/run-workflow-in-memory.ts";
import { flowParts, stepOf } from "./flow-parts.ts";
import { done, failed, startOf } from "./step-records.ts";

const definition = defineStepWorkflow({
  agents: [
    { id: "reader", model: "one" },
    { id: "code", backend: "function" },
    { id: "constructor", backend: "script" },
  ],
  prompts: { reader: "Look at {{context.plan.files}}" },
  steps: [
    { id: "pick", type: "transform", settings: { transform: "context.plan.files" } },
    { id: "read", type: "agent", settings: { agent: "reader" } },
    { id: "whole", type: "agent", settings: { agent: "code" } },
    { id: "own", type: "agent", settings: { agent: "constructor", prompt: "say {{input}}" } },
    { id: "ask", type: "approval" },
    { id: "show", type: "approval", settings: { show: "context.plan" } },
    { id: "errors", type: "transform", settings: { transform: "exists(errors.plan)" } },
  ],
});

function printOf(
  id: string,
  context: WorkflowContext,
  { names, of = definition }: { names?: { [name: string]: Json }; of?: StepsDefinition } = {},
): string {
  const parts = flowParts();
  const step = stepOf(of, id);
  const scope = createStepScope(parts.texts, context, { input: step.input, names });
  return new InputPrint({ ...parts, definition: of }).of({ step, scope, context, names });
}

const plan = { files: ["a.ts"], note: 1 };

test("the print of a step's input changes with what the step looks at and with nothing else [ENG-15]", () => {
  const base = startOf().addResult(done("plan", plan));
  const unseen = base.addResult(done("other", 1));
  const changed = startOf().addResult(done("plan", { ...plan, files: ["b.ts"] }));
  for (const id of ["pick", "read"]) {
    expect(printOf(id, unseen)).toBe(printOf(id, base));
    expect(printOf(id, changed)).not.toBe(printOf(id, base));
  }
  expect(printOf("whole", unseen)).not.toBe(printOf("whole", base));
  expect(printOf("own", changed)).toBe(printOf("own", base));
  expect(printOf("errors", base.addResult(failed("other")))).not.toBe(printOf("errors", base));
});

test("the print of a step's input changes with its failure, its input, its names and its agent [ENG-15]", () => {
  const base = startOf().addResult(done("plan", plan));
  const other = failed("plan", { data: plan });
  const prints = [
    printOf("read", base),
    printOf("read", startOf().addResult(other)),
    printOf(
      "read",
      startOf().addResult({
        ...other,
        error: { ...other.error, code: "X", message: "", details: {} },
      }),
    ),
    printOf("read", startOf({}, "other task").addResult(done("plan", plan))),
    printOf("read", base, { names: { item: 1, index: 0 } }),
    printOf("read", base, {
      of: { ...definition, agents: [{ id: "reader", backend: "script", model: "two" }] },
    }),
    printOf("read", base, { of: { ...definition, prompts: { reader: "{{context.plan}}" } } }),
  ];
  expect(new Set(prints).size).toBe(prints.length);
});

test("an approval that shows the step before is asked again when that came to something else [ENG-15, STP-8]", () => {
  const base = startOf()
    .addResult(done("plan", plan))
    .addResult(done("draft", { text: "a" }));
  const changed = startOf()
    .addResult(done("plan", plan))
    .addResult(done("draft", { text: "b" }));
  expect(printOf("ask", changed)).not.toBe(printOf("ask", base));
  expect(printOf("show", changed)).toBe(printOf("show", base));
});

test("an agent is asked again when a person said something else about the step before [ENG-15, STP-8]", () => {
  const after = (comment: string) =>
    startOf()
      .addResult(done("plan", plan))
      .addResult(done("ok", { approved: true }, { comment }));
  expect(printOf("read", after("fine"))).not.toBe(printOf("read", after("careful")));
});

test("an agent whose name every object knows has no prompt because of that [STP-12]", () => {
  const parts = { ...flowParts(), definition };
  const of = (id: string) => referencesOf(stepOf(definition, id), parts);
  expect(of("own")).toEqual({
    isWhole: false,
    looksBack: false,
    names: [],
    steps: [],
    agents: ["constructor"],
    workflows: [],
  });
  expect(of("read").names).toEqual(["plan"]);
});

test("the print of a step's input changes with the end of a step that it looks at, but not with its time [ENG-15, LANG-4.condition]", () => {
  const of = defineStepWorkflow({
    steps: [{ id: "fix", type: "transform", settings: { transform: "steps.test.stderr" } }],
  });
  const facts = { ...factsOfNothing("skipped"), stderr: "no", durationMs: 5 };
  const printWith = (changed: Partial<typeof facts>, format: 1 | 2 = 2) =>
    printOf("fix", startOf().addResult(done("test", null, { facts: { ...facts, ...changed } })), {
      of: { ...of, format },
    });
  expect(printWith({ stderr: "other" })).not.toBe(printWith({}));
  expect(printWith({ durationMs: 6 })).toBe(printWith({}));
  // In a run of format 1 the name is nothing that a step has.
  expect(printWith({ stderr: "other" }, 1)).toBe(printWith({}, 1));
});
