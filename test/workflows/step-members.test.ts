import { describe, expect, test } from "vitest";
import { loadStepTypes } from "../../src/programs/steps/registry.ts";
import { load } from "./load-options.ts";
import { loadSteps } from "./steps/load-steps.ts";

const stepTypes = await loadStepTypes();

type Field = (path: string) => string;

/** Lines of a file whose seventh line has the path; `test` is a step that is over. */
const pattern = (step: string) =>
  `name: w\npattern: dag\nagents:\n  a: { backend: command, command: ["true"] }\nsteps:\n  - { id: test, command: ["true"] }\n  - { id: b, dependsOn: [test], ${step} }\n`;
const flow = (step: string) =>
  `id: f\nagents:\n  a: { backend: command, command: ["true"] }\nsteps:\n  - { id: test, type: shell, command: ["true"], next: b }\n\n  - { id: b, ${step} }\n`;
const kickoff = (text: string) =>
  `name: k\nagents:\n  a:\n    backend: command\n    command: ["true"]\n\nkickoff: "@a ${text}"\n`;

const FORMS: readonly (readonly [string, Field, "known" | "kickoff"])[] = [
  ["prompt of a pattern", (path) => pattern(`agent: a, prompt: "{{${path}}}"`), "known"],
  ["command of a pattern", (path) => pattern(`command: ["echo", "{{${path}}}"]`), "known"],
  ["shell text of a pattern", (path) => pattern(`command: "echo {{${path}}}"`), "known"],
  ["env of a pattern", (path) => pattern(`command: "x", env: { V: "{{${path}}}" }`), "known"],
  [
    "check of a pattern",
    (path) => pattern(`command: "x", verify: [{ command: "echo {{${path}}}" }]`),
    "known",
  ],
  ["when of a pattern", (path) => pattern(`command: "x", when: "exists(${path})"`), "known"],
  ["prompt of steps", (path) => flow(`type: agent, agent: a, prompt: "{{${path}}}"`), "known"],
  [
    "block of steps",
    (path) => flow(`type: agent, agent: a, prompt: "{{#if ${path}}}y{{/if}}"`),
    "known",
  ],
  ["command of steps", (path) => flow(`type: shell, command: ["echo", "{{${path}}}"]`), "known"],
  ["stdin of steps", (path) => flow(`type: shell, command: "cat", stdin: "{{${path}}}"`), "known"],
  [
    "check of steps",
    (path) => flow(`type: shell, command: "x", verify: [{ command: "echo {{${path}}}" }]`),
    "known",
  ],
  ["when of steps", (path) => flow(`type: shell, command: "x", when: "exists(${path})"`), "known"],
  [
    "condition of steps",
    (path) => flow(`type: condition, condition: "exists(${path})", then: b, else: b`),
    "known",
  ],
  ["kickoff", (path) => kickoff(`\${{ ${path} }}`), "kickoff"],
];

function problemsOf(text: string) {
  const isFlow = text.startsWith("id:");
  const { problems } = isFlow ? loadSteps(text, { stepTypes }) : load(text);
  return problems
    .filter(({ severity }) => severity === "error")
    .map(({ line, hint = "" }) => ({ line, near: /did you mean "([^"]*)"/.exec(hint)?.[1] }));
}

describe.each(FORMS)("in the %s", (_field, fileFor, form) => {
  test.each(["output", "error", "error.code", "exitCode", "status", "stderr", "durationMs"])(
    "steps.test.%s is a name where there are steps [LANG-3.members]",
    (member) => {
      const found = problemsOf(fileFor(`steps.test.${member}`));
      expect(found).toEqual(form === "kickoff" ? [expect.objectContaining({ line: 7 })] : []);
    },
  );

  test.each([
    ["steps.test.exitcode", "steps.test.exitCode"],
    ["steps.test.errors", "steps.test.error"],
    ["steps.test.error.cod", "steps.test.error.code"],
    ["steps.test.stdout.length", expect.anything()],
    ["steps.test.reason", undefined],
  ])("%s is refused where it stands, with what is near [LANG-3.members]", (path, near) => {
    const [first, ...others] = problemsOf(fileFor(path));
    expect(others).toEqual([]);
    expect(first).toEqual({
      line: 7,
      near: form === "kickoff" ? first?.near : (near ?? first?.near),
    });
  });
});

test.each([
  ["no step", "steps.tst.output", 'did you mean "test"'],
  ["no member", "steps.test", "steps.test.output"],
  ["a step that is never before", "steps.after.output", 'let a way lead from "after"'],
])("of %s a step workflow says what is wrong with it [LANG-3.members]", (_what, path, hint) => {
  const text = flow(
    `type: agent, agent: a, prompt: "{{${path}}}", next: after }\n  - { id: after, type: shell, command: x`,
  );
  expect(loadSteps(text, { stepTypes }).problems).toEqual([
    expect.objectContaining({ line: 7, hint: expect.stringContaining(hint) }),
  ]);
});

test("an agent of a step workflow, which starts before any step, cannot name one [LANG-3.members]", () => {
  const text = flow("type: agent, agent: a").replace(
    '["true"]',
    '["echo", "{{steps.test.error}}"]',
  );
  expect(loadSteps(text, { stepTypes }).problems).toEqual([
    expect.objectContaining({ code: "WORKFLOW_NOT_UPSTREAM", line: 3 }),
  ]);
});
