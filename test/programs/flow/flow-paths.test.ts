import { expect, test } from "vitest";
import type { VerificationSpec } from "../../../src/contracts/step.ts";
import { pathsOf } from "../../../src/programs/flow/flow-paths.ts";
import {
  defineStepWorkflow,
  type TestFlowStep,
} from "../../../src/testing/run-workflow-in-memory.ts";
import { flowParts } from "./flow-parts.ts";

/** A step that looks at an expression's paths. */
function step(id: string, transform = "input", more: Partial<TestFlowStep> = {}): TestFlowStep {
  return { id, type: "transform", settings: { transform }, ...more };
}

function paths(steps: readonly TestFlowStep[], parallel = true) {
  return pathsOf(defineStepWorkflow({ parallel, steps }), flowParts());
}

test("without parallel there is one way, that of the first step, whatever else stands in the file [STP-2]", () => {
  expect(paths([step("a"), step("b")], false)).toEqual([{ start: "a", after: [] }]);
  expect(paths([])).toEqual([]);
});

test("a parallel workflow begins a way at every step that nothing leads to, after those whose data it looks at [STP-13]", () => {
  expect(
    paths([
      step("d", "[context.b, context.c]"),
      step("a", "input", { output: "alias", routes: { next: "a2" } }),
      step("a2"),
      step("b", "context.alias"),
      step("c", "1", { input: "a2" }),
      step("e"),
    ]),
  ).toEqual([
    { start: "a", after: [] },
    { start: "b", after: ["a"] },
    { start: "c", after: ["a"] },
    { start: "d", after: ["b", "c"] },
    { start: "e", after: [] },
  ]);
});

test("a way waits for what any step on it looks at, in conditions and steps inside of others too [STP-13]", () => {
  const nested: TestFlowStep = {
    id: "tests",
    type: "parallel",
    steps: [step("unit", "context.a.x"), step("lint", "1", { when: "context.b.ok" })],
  };
  expect(
    paths([
      step("start", "1", { routes: { next: "tests" } }),
      nested,
      step("a"),
      step("b"),
      step("last", "context.tests.x"),
    ]),
  ).toEqual([
    { start: "a", after: [] },
    { start: "b", after: [] },
    { start: "start", after: ["a", "b"] },
    { start: "last", after: ["start"] },
  ]);
});

test.each<readonly [string, VerificationSpec, readonly string[]]>([
  ["command", { kind: "command", command: "test {{context.a.x}}", expectExit: 0 }, ["a"]],
  ["list", { kind: "command", command: ["test", "{{context.a.x}}"], expectExit: 0 }, ["a"]],
  ["path of a file", { kind: "fileExists", path: "out/{{context.a.name}}.md" }, ["a"]],
  ["pattern, which holds no variables,", { kind: "outputMatches", pattern: "context.a" }, []],
])("a way waits for what the %s of a check looks at [STP-13]", (_, check, after) => {
  expect(paths([step("last", "1", { verify: [check] }), step("a")])).toContainEqual({
    start: "last",
    after,
  });
});

test("a parallel workflow in which something leads to every step begins at the first [STP-13]", () => {
  expect(
    paths([step("a", "1", { routes: { next: "b" } }), step("b", "1", { routes: { next: "a" } })]),
  ).toEqual([{ start: "a", after: [] }]);
});

test("a way waits for the steps whose ends it looks at [STP-13, LANG-4.condition]", () => {
  const steps = [step("a"), step("b", "steps.a.exitCode")];
  expect(paths(steps)).toEqual([
    { start: "a", after: [] },
    { start: "b", after: ["a"] },
  ]);
});
