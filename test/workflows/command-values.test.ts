import { expect, test } from "vitest";
import { loadStepTypes } from "../../src/programs/steps/registry.ts";
import { problemsOf } from "./load-options.ts";

const builtInStepTypes = await loadStepTypes();

const IN_CODE = "in code that sh reads, where its value could become a command";

test.each([
  [
    "a check",
    "name: f\npattern: dag\nagents: [{ id: a }]\nsteps:\n  - { id: s, verify: [{ command: \"sh -c 'ls {{task}}'\" }] }\n",
    `WORKFLOW_VALUE_IN_CODE 5:45 {{task}} stands ${IN_CODE}`,
  ],
  [
    "an agent",
    'name: f\npattern: dag\nagents:\n  - { id: a, backend: command, command: [sh, -c, "ls {{task}}"] }\n',
    `WORKFLOW_VALUE_IN_CODE 4:54 {{task}} stands ${IN_CODE}`,
  ],
  [
    "arguments",
    'name: f\npattern: dag\nagents:\n  - { id: a, backend: command, command: [sh], args: [-c, "ls {task}"] }\n',
    `WORKFLOW_VALUE_IN_CODE 4:58 {{task}} stands ${IN_CODE}`,
  ],
])("a value in the code of %s of a pattern is told at its place [T6]", (_who, text, told) => {
  expect(problemsOf(text)).toContain(told);
});

test("a value in the code of setup and of an agent of a team is told at its place [T6]", () => {
  const text =
    'name: f\ncontext:\nparams: { x: { type: string } }\nagents:\n  a: { backend: command, command: [sh, -c, "ls ${{ params.x }}"] }\nsetup:\n  - { shell: "cat <<E\\n${{ params.x }}\\nE" }\nkickoff: go @a\n';
  expect(problemsOf(text)).toEqual([
    "WORKFLOW_VALUE_IN_CODE 5:48 ${{ params.x }} stands in code that sh reads, where its value could become a command",
    "WORKFLOW_VALUE_IN_CODE 7:24 ${{ params.x }} stands in a here-document, where its value could become a command",
  ]);
});

test("a value in the code of a step, its check and its pattern is told [T6]", () => {
  const text = `id: f
agents: [{ id: a, backend: command, command: [sh, -c, "ls {{input}}"] }]
steps:
  - id: one
    type: shell
    command: "sh -c 'ls {{input}}'"
    verify: [{ command: "eval {{input}}" }]
    next: two
  - id: two
    type: pattern
    pattern: pipeline
    agents: [a]
    steps: [{ id: s, verify: [{ command: "sh -c 'ls {{task}}'" }] }]
`;
  const problems = problemsOf(text, { stepTypes: builtInStepTypes });
  for (const place of ["2:59", "6:25", "7:31"])
    expect(
      problems.filter((one) => one.startsWith(`WORKFLOW_VALUE_IN_CODE ${place}`)),
    ).toHaveLength(1);
  expect(problems.join("\n")).toContain(`"s": {{task}} stands ${IN_CODE}`);
});
