import { expect, test } from "vitest";
import { hintForKey, meantKey } from "../../../src/workflows/schema/words-of-others.ts";

const GRAPH = [
  "id",
  "agent",
  "command",
  "prompt",
  "dependsOn",
  "when",
  "maxRetries",
  "timeout",
  "verify",
];
const STEP = [
  "id",
  "type",
  "command",
  "when",
  "next",
  "on_error",
  "max_retries",
  "timeout_ms",
  "input",
];

test.each([
  ["if", "when", "when"],
  ["needs", "dependsOn", "next"],
  ["run", "command", "command"],
  ["retries", "maxRetries", "max_retries"],
  ["timeout-minutes", "timeout", "timeout_ms"],
  ["continue-on-error", undefined, "on_error"],
  ["task", "prompt", undefined],
  ["comand", "command", "command"],
  ["dependson", "dependsOn", undefined],
  ["c", undefined, undefined],
  ["xyzzy", undefined, undefined],
])(
  "%s is taken for %s in a graph and for %s in a step workflow [ECO-8.words]",
  (given, graph, step) => {
    expect(meantKey(given, GRAPH)).toBe(graph);
    expect(meantKey(given, STEP)).toBe(step);
  },
);

test("the hint names what is meant, and always what is known [ECO-8.words]", () => {
  expect(hintForKey("if", ["id", "when"])).toBe('did you mean "when"?  known: id, when');
  expect(hintForKey("c", ["a", "b"])).toBe("known: a, b");
});

test("a task in the head of a file is told to belong to the start of a run [ECO-8.words]", () => {
  expect(hintForKey("task", ["name", "tags", "pattern", "agents"])).toBe(
    'what is to be done is said when it runs: troupe run FILE "the task"',
  );
  expect(hintForKey("task", ["id", "steps"])).not.toContain("troupe run");
});

test("the budget of a day in a file is told to belong to the configuration [ECO-8.words]", () => {
  expect(hintForKey("perDay", ["cost", "tokens", "turns"])).toBe(
    "all runs of a day are bounded in the configuration: budget: { perDay: 50 } in .troupe/config.yaml",
  );
});

test("providers and models of other tools are backends of the configuration [ECO-8.words]", () => {
  const known = ["version", "backends", "permissions"];
  expect(["providers", "models"].map((word) => meantKey(word, known))).toEqual([
    "backends",
    "backends",
  ]);
});
