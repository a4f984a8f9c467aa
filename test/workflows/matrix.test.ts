import fc from "fast-check";
import { expect, test } from "vitest";
import { combinationsOf, isPartOf } from "../../src/workflows/resolve/resolve-steps.ts";
import { load } from "./load-options.ts";

function problemsOf(step: string, head = "pattern: dag"): readonly string[] {
  const { problems } = load(`name: f\n${head}\nsteps:\n  - { id: s, command: "true", ${step} }\n`);
  return problems.map(({ code, line, column, message }) => `${code} ${line}:${column} ${message}`);
}

test.each([
  ["matrix: { os: [a, b] }", []],
  ["matrix: [a]", ["WORKFLOW_TYPE 4:39 steps.s.matrix must be an object, got a list"]],
  ["matrix: { os: a }", ["WORKFLOW_TYPE 4:45 steps.s.matrix.os must be a list, got a text"]],
  ["matrix: { os: [{ a: 1 }] }", ["WORKFLOW_VALUE 4:46 steps.s.matrix.os.0 is no value"]],
  [
    "matrix: { os: [a], exclude: [b] }",
    ["WORKFLOW_VALUE 4:60 steps.s.matrix.exclude.0 is no combination"],
  ],
  [
    "matrix: { os: [a], exclude: [{ os: b }] }",
    ["WORKFLOW_VALUE 4:60 steps.s.matrix.exclude.0 excludes no combination"],
  ],
  [
    "matrix: { os: [a], exclude: [{ os: a }] }",
    ["WORKFLOW_VALUE 4:39 steps.s.matrix leaves no instance"],
  ],
  [
    "matrix: { os: [a, a] }",
    ['WORKFLOW_VALUE 4:39 steps.s.matrix has the instance {"os":"a"} twice'],
  ],
  [
    `matrix: { a: [${range(17)}], b: [${range(16)}] }`,
    ["WORKFLOW_VALUE 4:39 steps.s.matrix comes to 272 instances, and 256 are the most"],
  ],
  [
    `matrix: { a: [${range(1000)}], b: [${range(1000)}], c: [${range(1000)}] }`,
    [
      "WORKFLOW_VALUE 4:39 steps.s.matrix comes to a million or more instances, and 256 are the most",
    ],
  ],
  ["matrix: { 9x: [a] }", ["WORKFLOW_VALUE 4:41 steps.s.matrix.9x is no name of a variable"]],
  [
    "maxConcurrency: 2, failFast: true",
    [
      "WORKFLOW_VALUE 4:31 steps.s has maxConcurrency, which only a step with a matrix takes",
      "WORKFLOW_VALUE 4:50 steps.s has failFast, which only a step with a matrix takes",
    ],
  ],
])("the step with %s has the problems %j, each at its place [WF-17]", (step, problems) => {
  expect(problemsOf(step)).toEqual(problems);
});

test("a matrix belongs to the step of a graph [WF-17]", () => {
  expect(problemsOf("matrix: { os: [a] }", "pattern: pipeline")).toEqual([
    "WORKFLOW_VALUE 4:31 steps.s.matrix has no meaning in pipeline: it belongs to the step of a graph",
  ]);
});

test("variables of a matrix are known in its own step, if every instance has them [WF-17]", () => {
  const text = (command: string, other = "true") =>
    `name: f\npattern: dag\nsteps:\n  - { id: s, matrix: { os: [a, b], include: [{ os: a, x: 1 }] }, command: "echo ${command}" }\n  - { id: t, dependsOn: [s], command: "echo ${other}" }\n`;
  const codes = (file: string) => load(file).problems.map(({ message }) => message);
  expect(codes(text("{{matrix.os}}", "{{steps.s.results}}"))).toEqual([]);
  expect(codes(text("{{matrix.x}}"))).toEqual(["variable {{matrix.x}} is not set"]);
  expect(codes(text("ok", "{{matrix.os}}"))).toEqual(["variable {{matrix.os}} is not set"]);
  expect(codes(text("{{steps.t.results}}"))).toHaveLength(1);
});

test("names of instances are lines that no path and no shell reads otherwise, and none is there twice [WF-17]", () => {
  const { definition } = load(
    'name: f\npattern: dag\nsteps:\n  - { id: s, matrix: { v: ["a/b", "a-b", "x\\ny", "`$x`"] }, command: "true" }\n',
  );
  expect(definition?.steps.map(({ id }) => id)).toEqual([
    ...["s (a-b)", "s (a-b) #2", "s (x-y)", "s (-x-)"],
    "s",
  ]);
});

test("whatever is excluded and included, each combination is there once and none is left over [WF-17]", () => {
  const name = fc.constantFrom("a", "b", "c");
  const value = fc.integer({ min: 0, max: 3 });
  const part = fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 });
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(name, fc.uniqueArray(value, { minLength: 1, maxLength: 3 })), {
        minLength: 1,
        selector: ([each]) => each,
      }),
      fc.array(part, { maxLength: 3 }),
      (axes, exclude) => {
        const parts = { axes: new Map(axes), include: [], exclude };
        const kept = combinationsOf(parts);
        const all = combinationsOf({ ...parts, exclude: [] });
        expect(all).toHaveLength(axes.reduce((count, [, values]) => count * values.length, 1));
        expect(new Set(all.map((each) => JSON.stringify(each))).size).toBe(all.length);
        const left = new Set(kept.map((each) => JSON.stringify(each)));
        for (const each of all)
          expect(left.has(JSON.stringify(each)) || exclude.some((out) => isPartOf(out, each))).toBe(
            true,
          );
        expect(kept.every((each) => !exclude.some((out) => isPartOf(out, each)))).toBe(true);
      },
    ),
  );
});

function range(count: number): string {
  return Array.from({ length: count }, (_, index) => index).join(", ");
}
