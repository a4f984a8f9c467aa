import { describe, expect, test } from "vitest";
import { renderProblem } from "../../src/workflows/problems/code-frame.ts";
import type { Problem } from "../../src/workflows/problems/problem.ts";
import { load } from "./load-options.ts";
import { MISTAKES } from "./mistakes.ts";

describe("code frames", () => {
  test.each(MISTAKES)("show the mistake %s at its place [WF-1]", async (name, text) => {
    const { problems } = load(text);
    expect(problems.length).toBeGreaterThan(0);
    const rendered = problems.map((problem) => renderProblem(problem, text)).join("\n\n");
    await expect(`${rendered}\n`).toMatchFileSnapshot(`golden/${name}.txt`);
  });

  test("are in the order of the file, whatever found them first [WF-1]", () => {
    const lines = load(
      MISTAKES.map(([, text]) => text.replace(/^name/, "x-name")).join("x-more: 1\n"),
    ).problems.map(({ line, column }) => line * 1000 + column);
    expect(lines).toEqual(lines.toSorted((left, right) => left - right));
  });
});

describe("a source line", () => {
  const frame = (text: string, column: number, endColumn: number) => {
    const problem: Problem = {
      code: "X",
      severity: "error",
      message: "m",
      file: "f",
      line: 1,
      column,
      endColumn,
    };
    return renderProblem(problem, text, { width: 40 }).split("\n").slice(3, 5);
  };

  test("shows control characters and marks of direction instead of sending them", () => {
    expect(frame("a\u001b[31m\u202eb: x", 11, 12)).toEqual([
      "1 | a\\u{1b}[31m\\u{202e}b: x",
      "  |                       ^",
    ]);
  });

  test("is cut around the mark when it is long", () => {
    const [line = "", caret = ""] = frame(`${"a".repeat(200)}MARK${"b".repeat(200)}`, 201, 205);
    expect(line.length).toBeLessThan(50);
    expect(line.slice(caret.indexOf("^"), caret.lastIndexOf("^") + 1)).toBe("MARK");
  });

  test("counts wide characters as two columns and tabs as two spaces", () => {
    expect(frame("漢字: x", 5, 6)).toEqual(["1 | 漢字: x", "  |       ^"]);
    expect(frame("\tx", 2, 3)).toEqual(["1 |   x", "  |   ^"]);
    expect(frame("漢字", 1, 3)).toEqual(["1 | 漢字", "  | ^^^^"]);
  });

  test("is coloured by the caller only", () => {
    const [problem] = load("name: 1").problems;
    expect(problem).toBeDefined();
    if (problem === undefined) return;
    const style = (text: string, role: string) => (role === "error" ? `<${text}>` : text);
    expect(renderProblem(problem, "name: 1", { style })).toMatch(
      /^<error\[WORKFLOW_SHAPE_UNKNOWN\]>: /,
    );
  });
});
