import { expect, test } from "vitest";
import { renderAgent } from "../../../src/programs/language/templates/render-agent.ts";
import {
  lookupIn,
  renderTemplate,
} from "../../../src/programs/language/templates/render-template.ts";
import {
  parseTemplate,
  scanTemplate,
  templateVariables,
} from "../../../src/programs/language/templates/template.ts";

const values = {
  task: "say {{id}} and \\{{task}}",
  id: "run_7k2fq3",
  params: { n: 3, list: ["a"], nothing: null },
  steps: { "check-types": { output: "ok" } },
};

function render(text: string): string {
  return renderTemplate(parseTemplate(text), lookupIn(values));
}

test.each([
  ["", ""],
  ["plain } text { }}", "plain } text { }}"],
  ["{{id}}", "run_7k2fq3"],
  ["a{{ id }}b", "arun_7k2fq3b"],
  ["{{steps.check-types.output}}", "ok"],
  ["{{params.n}}{{params.list}}{{params.nothing}}", '3["a"]'],
  ["\\{{id}}", "{{id}}"],
  ["a\\\\{{id}}", "a\\{{id}}"],
  ["${{ id }} ${{ anything at all }}", "${{ id }} ${{ anything at all }}"],
  ["${{ never closed", "${{ never closed"],
  ["{{id}}}", "run_7k2fq3}"],
])("%j renders as %j [WF-4, WF-13]", (text, expected) => {
  expect(render(text)).toBe(expected);
});

test("values are never read as templates again [WF-4]", () => {
  expect(render("{{task}}")).toBe("say {{id}} and \\{{task}}");
});

test("a variable that is not set is an error that names near ones [WF-4]", () => {
  expect(() => render("{{steps.check-type.output}}")).toThrow(
    expect.objectContaining({
      code: "WORKFLOW_UNKNOWN_VARIABLE",
      message: "variable {{steps.check-type.output}} is not set",
      hint: expect.stringContaining('did you mean "steps.check-types.output"?'),
    }),
  );
});

test("prototypes cannot be reached by a variable [WF-4, T10]", () => {
  for (const name of ["constructor", "params.__proto__", "task.length", "params.list.0"])
    expect(() => render(`{{${name}}}`), name).toThrow(
      expect.objectContaining({ code: "WORKFLOW_UNKNOWN_VARIABLE" }),
    );
});

test.each([
  "{{",
  "{{}}",
  "{{ }}",
  "{{a b}}",
  "{{a..b}}",
  "{{.a}}",
  "{{#if x}}",
  `{{${"a".repeat(300)}}}`,
])("%j is no template [WF-4]", (text) => {
  expect(() => parseTemplate(text)).toThrow(
    expect.objectContaining({ code: "WORKFLOW_TEMPLATE_SYNTAX" }),
  );
});

test("all faults and variables of a template are found at once [WF-1]", () => {
  const scanned = scanTemplate("{{a b}} {{task}} {{}} {{task}}");
  expect(scanned.faults.map(({ span }) => span)).toEqual([
    { start: 0, end: 7 },
    { start: 17, end: 21 },
  ]);
  expect(templateVariables(scanned).map(({ name, span }) => [name, span.start])).toEqual([
    ["task", 8],
    ["task", 22],
  ]);
});

test("an agent's name, environment, command, arguments and prompt are filled in [WF-4]", () => {
  const spec = {
    id: "types",
    name: "Types {{id}}",
    backend: "command",
    env: { TARGET: "{{params.n}}" },
    settings: {
      command: "check '{{task}}'",
      args: ["--n={{params.n}}"],
      systemPrompt: "You are in {{id}}",
    },
  };
  expect(renderAgent(spec, lookupIn(values))).toEqual({
    id: "types",
    name: "Types run_7k2fq3",
    backend: "command",
    env: { TARGET: "3", TROUPE_VALUE_1: values.task },
    settings: {
      command: "check ''\"${TROUPE_VALUE_1}\"''",
      args: ["--n=3"],
      systemPrompt: "You are in run_7k2fq3",
    },
  });
});
