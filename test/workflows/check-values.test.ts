import { describe, expect, test } from "vitest";
import { fileWith, load, problemsOf } from "./load-options.ts";

/** A dag over agents a and b with these lines as its steps, from line 5 on. */
const steps = (...lines: readonly string[]) =>
  `name: flow\npattern: dag\nagents: [{ id: a }, { id: b }]\nsteps:\n${lines.map((line) => `  - { ${line} }`).join("\n")}\n`;

describe("values", () => {
  test.each([
    ["timeout: 5x", 'WORKFLOW_DURATION 4:27 steps.s.timeout: "5x" is not a duration'],
    ["timeout: 0s", 'WORKFLOW_DURATION 4:27 steps.s.timeout: "0s" is no time at all'],
    ["timeout: 400d", 'WORKFLOW_DURATION 4:27 steps.s.timeout: "400d" is more than 365 days'],
    ['expects: "ALL DONE"', 'WORKFLOW_VALUE 4:27 steps.s.expects cannot be "ALL DONE"'],
    [
      "maxRetries: 1, maxAttempts: 2",
      "WORKFLOW_VALUE 4:18 steps.s has both maxRetries and maxAttempts",
    ],
    ['verify: [{ outputMatches: "(" }]', expect.stringMatching(/^EXPRESSION_REGEX 4:44 /)],
    ["verify: [{ fileExists: ../x }]", expect.stringMatching(/^WORKFLOW_PATH_OUTSIDE 4:41 /)],
    ["verify: [{ fileExists: /etc/x }]", expect.stringMatching(/^WORKFLOW_PATH_OUTSIDE 4:41 /)],
    [
      "verify: [{ fileExists: x, gitChanged: true }]",
      "WORKFLOW_VALUE 4:44 steps.s.verify.0 has fileExists and gitChanged",
    ],
    [
      "verify: [{ gitChanged: true, expectExit: 1 }]",
      "WORKFLOW_VALUE 4:47 steps.s.verify.0 has expectExit, which only a command takes",
    ],
    [
      "verify: [{ expectExit: 1 }]",
      'WORKFLOW_MISSING_KEY 4:29 the key "command" is missing in steps.s.verify.0',
    ],
    [
      "verify: [{ jsonSchema: [] }]",
      "WORKFLOW_TYPE 4:41 steps.s.verify.0.jsonSchema must be an object, got a list",
    ],
  ])("a step with { %s } is refused [WF-1, WF-2.load, WF-11.checks]", (line, problem) => {
    expect(problemsOf(fileWith(`steps: [{ id: s, ${line} }]`))).toEqual([problem]);
  });

  test.each([
    ["{ type: enum }", 'WORKFLOW_PARAM_DEFINITION 4:11 param "p" is an enum without values'],
    [
      "{ type: number, default: x }",
      'WORKFLOW_PARAM_DEFINITION 4:39 param "p" is a number, but its default is "x"',
    ],
    [
      "{ type: enum, values: [a], default: b }",
      'WORKFLOW_PARAM_DEFINITION 4:50 param "p" has the default "b", which is not one of a',
    ],
    [
      "{ type: string, values: [a] }",
      'WORKFLOW_PARAM_DEFINITION 4:30 param "p" has values, which only an enum takes; its type is string',
    ],
    [
      "{ type: string, default: a, required: true }",
      'WORKFLOW_PARAM_DEFINITION 4:42 param "p" has a default and is required; remove one of the two',
    ],
  ])("the param %s is refused [WF-8]", (definition, problem) => {
    expect(problemsOf(fileWith(`params: { p: ${definition} }`))).toEqual([problem]);
  });
});

describe("reflection", () => {
  test.each([
    ["{}", { threshold: 50 }],
    ["{ enabled: true }", { threshold: 50 }],
    [
      "{ threshold: 7, reflector: A, prompt: Look }",
      { threshold: 7, reflector: "a", prompt: "Look" },
    ],
    ["{ threshold: 0 }", undefined],
    ["{ enabled: false, threshold: 7 }", undefined],
  ])("reflection: %s means %o [PRM-reflection-2, WF-10.reflection]", (entry, spec) => {
    const { definition, problems } = load(fileWith(`reflection: ${entry}`));
    expect(problems).toEqual([]);
    expect(definition).toHaveProperty("shape", "pattern");
    expect(definition).toEqual(expect.objectContaining(spec ? { reflection: spec } : {}));
    if (spec === undefined) expect(definition).not.toHaveProperty("reflection");
  });

  test("nobody can reflect who is no agent [PRM-reflection-2]", () => {
    expect(problemsOf(fileWith("reflection: { reflector: ann }"))).toEqual([
      expect.stringMatching(/reflection is made by agent "ann"/),
    ]);
  });
});

describe("what this version cannot do", () => {
  test.each([
    ["reflection: { enabled: true }", "reflect on iterations, which know nothing of each other"],
    ["reflection: {}", "reflect on iterations, which know nothing of each other"],
  ])("%s is refused where it would change nothing [WF-10.reflection]", (line, what) => {
    const file = `name: again\npattern: iterate\nagents: [{ id: a }]\niterate: { count: 2 }\n${line}\n`;
    const { definition, problems } = load(file);
    expect(definition).toBeUndefined();
    expect(problems.map(({ code, message }) => [code, message])).toEqual([
      ["WORKFLOW_NOT_SUPPORTED", `this version of troupe cannot ${what} yet`],
    ]);
  });

  test("the block of another pattern is refused", () => {
    expect(problemsOf(fileWith("auction: {}"))).toEqual([
      "WORKFLOW_VALUE 4:1 the workflow has auction, which belongs to pattern: auction",
    ]);
  });

  test("overrides without a template would change nothing, so they are refused [WF-6.overrides]", () => {
    expect(problemsOf(fileWith("overrides: {}"))).toEqual([
      "WORKFLOW_VALUE 4:1 the workflow has overrides, but no template that they could change",
    ]);
  });

  test.each([
    ["name: x\nagents: [{ id: a }]", "WORKFLOW_SHAPE_UNKNOWN 1:1"],
    ["name: x\npatern: dag\nagents: { a: {} }", "WORKFLOW_SHAPE_UNKNOWN 2:1"],
    ["- a", "WORKFLOW_TYPE 1:1"],
    ["just a text", "WORKFLOW_TYPE 1:1"],
    ["", "WORKFLOW_EMPTY 1:1"],
  ])("the file %j is %s", (text, problem) => {
    expect(problemsOf(text).map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
      problem,
    ]);
  });
});

test("a workflow without agents is refused, as a list and as a map [WF-2.load]", () => {
  expect(problemsOf("name: f\npattern: dag\nagents: []\n")).toEqual([
    "WORKFLOW_VALUE 3:9 agents is too small: at least 1 item",
  ]);
  expect(problemsOf("name: f\npattern: dag\nagents: {}\n")).toEqual([
    "WORKFLOW_VALUE 3:9 agents is not valid: it names nobody",
  ]);
});

test("many problems are bounded, and the first hundred are there [WF-1, T9]", () => {
  const text = steps(...Array.from({ length: 1000 }, (_, index) => `id: s${index}, agnt: a`));
  const { problems, definition } = load(text);
  expect(definition).toBeUndefined();
  expect(problems).toHaveLength(100);
});
