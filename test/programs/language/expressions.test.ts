import { describe, expect, test } from "vitest";
import { TroupeError } from "../../../src/foundation/errors.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { expressionFaults } from "../../../src/programs/language/expressions/check-expression.ts";
import {
  evaluateCondition,
  evaluateExpression,
  type PathResolver,
} from "../../../src/programs/language/expressions/evaluate.ts";
import { parseExpression } from "../../../src/programs/language/expressions/parse-expression.ts";
import { expressionPaths } from "../../../src/programs/language/expressions/syntax.ts";
import { valueAt } from "../../../src/programs/language/member-of.ts";

const scope = {
  task: "fix the bug",
  params: { level: 3, strict: true, nothing: null },
  steps: {
    "check-types": { status: "completed", output: "0 findings", attempts: 2 },
    plan: { status: "failed", output: "", attempts: 1 },
    "3d-check": [{ ok: true }],
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
    ["list[2] in list", true],
    ["contains(list, list[2])", true],
    ["contains(list, [1])", false],
    ["steps.3d-check.0.ok", true],
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
    ["list.-1", "EXPRESSION_SYNTAX"],
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
        hint: 'did you mean "check-types"?  known: check-types, plan, 3d-check',
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

describe("paths through a resolver", () => {
  const asked: string[] = [];
  const resolver: PathResolver = {
    resolve: (segments) => {
      asked.push(segments.join("."));
      return valueAt(
        { context: { "parallel-tests": { success: true, durationMs: 9 } }, completed: "done" },
        segments,
      );
    },
    keysAt: (segments) => (segments.length === 1 ? ["parallel-tests", "plan"] : []),
  };

  test.each([
    ['context["parallel-tests"].success === true', true],
    ["context.parallel-tests.success", true],
    ["context.parallel-tests.durationMs >= 9 && context.parallel-tests.durationMs <= 9", true],
    ["exists(context.parallel-test)", false],
    ["context.parallel-tests.success === completed", false],
  ])(
    "%s is %j, and nothing but its paths is asked for [STP-6, STP-18, WF-5]",
    (source, expected) => {
      asked.length = 0;
      const expression = parseExpression(source);
      expect(evaluateExpression(expression, resolver)).toBe(expected);
      const paths = expressionPaths(expression).map(({ segments }) => segments.join("."));
      expect(asked).toEqual(paths);
    },
  );

  test("an unquoted word is a path, never a text [STP-18]", () => {
    expect(() => evaluateCondition(parseExpression('"failed" == failed'), resolver)).toThrow(
      expect.objectContaining({ code: "EXPRESSION_UNKNOWN_PATH" }),
    );
  });

  test("a path that leads nowhere is an error with near names, in a condition too [STP-6, WF-4]", () => {
    const expression = parseExpression("context.parallel-test.success || true");
    expect(() => evaluateCondition(expression, resolver)).toThrow(
      expect.objectContaining({
        code: "EXPRESSION_UNKNOWN_PATH",
        message: '"context.parallel-test.success" leads nowhere: there is no "parallel-test"',
        hint: 'did you mean "parallel-tests"?  known: parallel-tests, plan',
      }),
    );
  });
});

describe("large values", () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => ({ index }));
  const large = { rows, text: "a".repeat(1_000_000), same: rows, row: { index: 1 } };
  const largeValue = (source: string) => evaluateExpression(parseExpression(source), large);

  test("what need not be read costs nothing [WF-5]", () => {
    expect(largeValue("rows != null && rows == same && rows[199999].index == 199999")).toBe(true);
    expect(largeValue('text != "a" && length(rows) > 1000 && !(rows == text)')).toBe(true);
  });

  test.each([
    ["comparing a large list", "rows == [row]"],
    ["looking for an object in one", "row in rows"],
    ["looking for it by contains", "contains(rows, row)"],
    ["matching a large text", 'matches(text, "(a+)+$")'],
    ["a pattern of many states", `matches(text, "${"(a?b?)".repeat(100)}z")`],
    ["many patterns", Array.from({ length: 100 }, () => 'matches("a", "(a?){450}")').join(" && ")],
    [
      "many classes",
      `matches("a", "${"\\pL".repeat(30)}") || matches("a", "${"\\pN".repeat(30)}")`,
    ],
  ])("%s is refused before it takes long [WF-5, T9]", (_, source) => {
    expect(codeOf(() => largeValue(source))).toBe("EXPRESSION_LIMIT");
  });

  test("a pattern with too many classes of characters is refused [WF-5, T9]", () => {
    expect(codeOf(() => largeValue(`matches("a", "${"\\pL".repeat(31)}")`))).toBe(
      "EXPRESSION_REGEX",
    );
  });

  test("a value that is too deep to be compared is refused [WF-5, T9]", () => {
    const nest = () => Array.from({ length: 5000 }).reduce<Json>((inner) => [inner], 1);
    const deep = { left: nest(), right: nest() };
    const source = parseExpression("left == right");
    expect(codeOf(() => evaluateExpression(source, deep))).toBe("EXPRESSION_LIMIT");
  });

  test("an error stores few of the names that it knows, the nearest one among them [WF-4]", () => {
    const names = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [`step-${index}`, 1]),
    );
    expect(() => evaluateExpression(parseExpression("steps.stepp-777"), { steps: names })).toThrow(
      expect.objectContaining({
        hint: expect.stringMatching(/^did you mean "step-777"\?/),
        details: expect.objectContaining({ known: expect.toSatisfy(({ length }) => length <= 50) }),
      }),
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
