import { describe, expect, test } from "vitest";
import { TroupeError } from "../../../src/foundation/errors.ts";
import { expressionFaults } from "../../../src/programs/language/expressions/check-expression.ts";
import {
  evaluateCondition,
  evaluateExpression,
} from "../../../src/programs/language/expressions/evaluate.ts";
import { expressionPaths } from "../../../src/programs/language/expressions/expression-nodes.ts";
import { parseExpression } from "../../../src/programs/language/expressions/parse-expression.ts";

const scope = {
  task: "fix the bug",
  params: { level: 3, strict: true, nothing: null },
  steps: {
    "check-types": { status: "completed", output: "0 findings", attempts: 2 },
    plan: { status: "failed", output: "", attempts: 1 },
  },
  list: [1, "two", { three: 3 }],
};

function value(source: string) {
  return evaluateExpression(parseExpression(source), scope);
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof TroupeError) return error.code;
    throw error;
  }
  return "none";
}

describe("values", () => {
  test.each([
    ["1", 1],
    ["-1.5e2", -150],
    ['"a\\"b\\n"', 'a"b\n'],
    ["'it'", "it"],
    ["true", true],
    ["null", null],
    ['[1, "two", ]', [1, "two"]],
    ["params.level", 3],
    ["steps.check-types.status", "completed"],
    ['steps["check-types"].attempts', 2],
    ["list[2].three", 3],
    ["list.0", 1],
    ["params.level == 3", true],
    ["params.level === 3", true],
    ['params.level == "3"', false],
    ["params.level !== 3", false],
    ["params.nothing == null", true],
    ['list == [1, "two", list[2]]', true],
    ["params.level > 2 && params.level <= 3", true],
    ['"abc" < "abd"', true],
    ["!params.strict || 1 >= 2", false],
    ['1 in list && !("x" in list)', true],
    ['"level" in params', true],
    ['"toString" in params', false],
    ["length(task)", 11],
    ['length("👍")', 1],
    ["length(list)", 3],
    ['contains(task, "bug")', true],
    ["contains(list, 1)", true],
    ['startsWith(task, "fix") && endsWith(task, "bug")', true],
    ['matches(steps.check-types.output, "^\\d+ findings$")', true],
    ["exists(steps.plan)", true],
    ["exists(steps.nobody.output)", false],
    ["exists(params.nothing)", false],
    ["exists(params.ghost) && params.ghost == 1", false],
    ["(1 == 1) && (2 == 2 || nowhere.at.all)", true],
  ])("%s is %j [WF-5]", (source, expected) => {
    expect(value(source)).toEqual(expected);
  });

  test("a condition holds for anything but false, null, 0 and the empty text", () => {
    const holds = (source: string) => evaluateCondition(parseExpression(source), scope);
    expect(["1", '"a"', "[]", "params"].map(holds)).toEqual([true, true, true, true]);
    expect(["0", '""', "null", "false"].map(holds)).toEqual([false, false, false, false]);
  });
});

describe("errors", () => {
  test.each([
    ["steps.nobody.output", "EXPRESSION_UNKNOWN_PATH"],
    ["params.level.more", "EXPRESSION_UNKNOWN_PATH"],
    ["task.length", "EXPRESSION_UNKNOWN_PATH"],
    ["list.length", "EXPRESSION_UNKNOWN_PATH"],
    ["list[9]", "EXPRESSION_UNKNOWN_PATH"],
    ['1 < "2"', "EXPRESSION_TYPE"],
    ['"a" in "abc"', "EXPRESSION_TYPE"],
    ["length(1)", "EXPRESSION_TYPE"],
    ["contains(1, 2)", "EXPRESSION_TYPE"],
    ['matches("a", "(?=a)")', "EXPRESSION_REGEX"],
    ["len(task)", "EXPRESSION_UNKNOWN_FUNCTION"],
    ["", "EXPRESSION_SYNTAX"],
    ["1 +", "EXPRESSION_SYNTAX"],
    ["a = 1", "EXPRESSION_SYNTAX"],
    ["a - 1", "EXPRESSION_SYNTAX"],
    ["1 < 2 < 3", "EXPRESSION_SYNTAX"],
    ["(1", "EXPRESSION_SYNTAX"],
    ['"open', "EXPRESSION_SYNTAX"],
    ["length(1, 2)", "EXPRESSION_SYNTAX"],
    ["exists(1)", "EXPRESSION_SYNTAX"],
    ["${{ task }}", "EXPRESSION_SYNTAX"],
    ["task; task", "EXPRESSION_SYNTAX"],
    ["(".repeat(40), "EXPRESSION_LIMIT"],
    ["!".repeat(40), "EXPRESSION_LIMIT"],
    [`"${"a".repeat(5000)}"`, "EXPRESSION_LIMIT"],
  ])("%s raises %s [WF-5]", (source, code) => {
    expect(codeOf(() => value(source))).toBe(code);
  });

  test("an unknown path names what is near [WF-4, WF-5]", () => {
    expect(() => value("steps.check-type.status")).toThrow(
      expect.objectContaining({
        message: '"steps.check-type.status" leads nowhere: there is no "check-type"',
        hint: 'did you mean "check-types"?  known: check-types, plan',
      }),
    );
  });

  test("prototypes and functions cannot be reached by any path [WF-5, T10]", () => {
    for (const path of [
      "__proto__",
      "constructor",
      "params.__proto__",
      "params.constructor",
      'params["__proto__"]["polluted"]',
      "steps.plan.toString",
      "list.constructor",
      "list.map",
      "task.constructor",
      "params.hasOwnProperty",
    ])
      expect(
        codeOf(() => value(path)),
        path,
      ).toBe("EXPRESSION_UNKNOWN_PATH");
    expect(value("exists(params.__proto__)")).toBe(false);
  });

  test("evaluation stops when its steps are used up [WF-5]", () => {
    const large = { text: "a".repeat(1_000_000) };
    const source = Array.from({ length: 20 }, () => 'contains(text, "b")').join(" || ");
    expect(codeOf(() => evaluateExpression(parseExpression(source), large))).toBe(
      "EXPRESSION_LIMIT",
    );
  });
});

describe("before anything runs", () => {
  test("all paths of an expression are known with their places [WF-5]", () => {
    const expression = parseExpression('exists(a.b) && c["d-e"] in [f]');
    expect(expressionPaths(expression).map(({ segments, span }) => [segments, span])).toEqual([
      [["a", "b"], { start: 7, end: 10 }],
      [["c", "d-e"], { start: 15, end: 23 }],
      [["f"], { start: 28, end: 29 }],
    ]);
  });

  test("regular expressions that are written out are compiled [WF-5]", () => {
    const faults = expressionFaults(parseExpression('matches(task, "(a)\\1")'));
    expect(faults.map(({ error, span }) => [error.code, span])).toEqual([
      ["EXPRESSION_REGEX", { start: 14, end: 21 }],
    ]);
  });
});
