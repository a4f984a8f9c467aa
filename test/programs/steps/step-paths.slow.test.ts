import { describe, expect, test } from "vitest";
import type { StepsDefinition } from "../../../src/contracts/definition.ts";
import { loadStepTypes } from "../../../src/programs/steps/registry.ts";
import { runStepsInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { strideOf } from "../../cases.ts";
import { loadSteps } from "../../workflows/steps/load-steps.ts";

const stepTypes = await loadStepTypes();

const TEXTS: readonly string[] = [
  ...[
    "{{input}}",
    "{{context.l[0]}}",
    '{{context["l"]}}',
    "{{context.l.0}}",
    "{{context.o['a b']}}",
  ],
  '{{context["o"]["a b"]}}',
  "{{#if input}}yes{{/if}}",
  "{{#each context.l}}{{this}}{{/each}}",
  // These are wrong everywhere.
  ...[
    "{{length(input)}}",
    "{{context[l]}}",
    "{{context.l[}}",
    "{{unheard}}",
    "{{steps.one.nothing}}",
  ],
];

type Field = (text: string) => object;

const FIELDS: readonly (readonly [string, Field])[] = [
  ["argv", (text) => ({ command: ["test", "-n", text] })],
  ["shell", (text) => ({ command: `test -n "${text}"` })],
  ["stdin", (text) => ({ command: ["grep", "-q", "."], stdin: text })],
  ["env", (text) => ({ command: ["sh", "-c", 'test -n "$V"'], env: { V: text } })],
  ["verify argv", (text) => ({ command: ["true"], verify: [{ command: ["test", "-n", text] }] })],
  ["verify shell", (text) => ({ command: ["true"], verify: [{ command: `test -n "${text}"` }] })],
];

function fileWith(own: object): string {
  const initial = { l: ["one", "two"], o: { "a b": "deep" } };
  const steps = [{ id: "one", type: "shell", ...own }];
  return JSON.stringify({ id: "f", initial_context: initial, steps });
}

function valid(own: object): StepsDefinition {
  const { definition, problems } = loadSteps(fileWith(own), { stepTypes });
  if (definition === undefined) throw new Error(JSON.stringify(problems));
  return definition;
}

// Each text is tried in some of the fields a day, and in all of them in `npm run prove`.
const stride = strideOf(4);
const sampled = FIELDS.map(
  ([name, ownOf], at) =>
    [name, ownOf, TEXTS.filter((_, index) => (index + at) % stride === 0)] as const,
);

describe.each(sampled)("in %s of a step workflow", (_field, ownOf, texts) => {
  test.each(texts)("%s is valid if and only if it is filled in [LANG-8.paths]", async (text) => {
    const { problems } = loadSteps(fileWith(ownOf(text)), { stepTypes });
    const isValid = problems.every(({ severity }) => severity !== "error");
    // What the check refuses is given to the renderer all the same.
    const written = JSON.stringify(valid(ownOf("{{input}}")));
    const inJson = JSON.stringify(text).slice(1, -1);
    const definition = JSON.parse(written.replaceAll("{{input}}", inJson));
    const { events } = await runStepsInMemory(definition, { input: "given" });
    const outcomes = events.flatMap((event) => (event.type === "run-ended" ? [event.outcome] : []));
    expect({ isValid, outcomes }).toEqual({
      isValid,
      outcomes: [isValid ? "completed" : "failed"],
    });
  });
});

test("a run of format 1 fails for a path in brackets in a command as it did [REP-1.one]", async () => {
  const definition = valid({ command: ["printf", "%s", "{{context.l[0]}}"] });
  const outcomeIn = async (format: 1 | 2) => {
    const { events } = await runStepsInMemory({ ...definition, format }, { input: "x" });
    return events.flatMap((event) => {
      if (event.type === "step-failed") return [event.error.code];
      return event.type === "step-completed" ? [event.output] : [];
    });
  };
  expect(await outcomeIn(2)).toEqual(["one"]);
  expect(await outcomeIn(1)).toEqual(["WORKFLOW_TEMPLATE_SYNTAX"]);
});
