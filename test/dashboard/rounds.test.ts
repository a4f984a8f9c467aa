import { expect, test } from "vitest";
import { type OutlineStep, roundLinks } from "../../src/dashboard/client/model/run-outline.ts";
import type { AttemptSpan } from "../../src/dashboard/client/model/spans.ts";

test("rounds of a loop stand one after the other, the first after the step around them", () => {
  expect(
    linksOf([
      ["a", 2, 3],
      ["b", 4, 5],
      ["c", 6, 7],
    ]),
  ).toEqual([
    { from: "loop", to: "a", kind: "inside" },
    { from: "a", to: "b", kind: "then" },
    { from: "b", to: "c", kind: "then" },
  ]);
});

test("what is carried out side by side stands side by side, and what follows stands after the last that ended", () => {
  expect(
    linksOf([
      ["a", 2, 6],
      ["b", 3, 5],
      ["c", 7, undefined],
    ]),
  ).toEqual([
    { from: "loop", to: "a", kind: "inside" },
    { from: "loop", to: "b", kind: "inside" },
    { from: "a", to: "c", kind: "then" },
  ]);
});

test("hundreds of rounds get no lines", () => {
  const many = Array.from({ length: 61 }, (_, at) => [`s${at}`, at * 2 + 2, at * 2 + 3] as const);
  expect(linksOf(many)).toEqual([]);
});

function linksOf(
  spans: readonly (readonly [path: string, position: number, endPosition: number | undefined])[],
) {
  const outline = [toStep("loop", []), ...spans.map(([path]) => toStep(path, ["loop"]))];
  return roundLinks(outline, new Set(["loop"]), spans.map(toAttempt));
}

function toStep(path: string, after: readonly string[]): OutlineStep {
  return { path, name: path, kind: "step", agent: undefined, condition: undefined, after };
}

function toAttempt([path, position, endPosition]: readonly [
  string,
  number,
  number | undefined,
]): AttemptSpan {
  return {
    ...{ path, position, endPosition, execution: 1, attempt: 1, startedAt: position },
    ...{ endedAt: endPosition, end: endPosition === undefined ? "running" : "completed" },
    ...{ step: path, agent: undefined, error: undefined },
  };
}
