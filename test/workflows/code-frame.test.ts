import { describe, expect, test } from "vitest";
import { renderProblem } from "../../src/workflows/problems/code-frame.ts";
import type { Problem } from "../../src/workflows/problems/problem.ts";
import { load } from "./load-options.ts";

const agents = "agents:\n  - id: reviewer\n  - id: coder\n";
const head = `name: review\npattern: dag\n${agents}`;
const steps = (lines: string) => `${head}steps:\n${lines}`;

const MISTAKES: readonly (readonly [name: string, text: string])[] = [
  [
    "unknown-key",
    `name: review\npattern: dag\nagents:\n  - id: reviewer\n    model: a/b\n    system_prompt: be kind\n`,
  ],
  [
    "list-expected",
    steps(
      "  - id: plan\n    agent: coder\n  - id: code\n    agent: reviewer\n    dependsOn: plan\n",
    ),
  ],
  ["unknown-agent", steps("  - id: plan\n    agent: reviewr\n  - id: code\n    agent: coder\n")],
  [
    "cycle",
    steps(
      "  - id: code\n    agent: coder\n    dependsOn: [test]\n  - id: test\n    agent: reviewer\n    dependsOn: [code]\n",
    ),
  ],
  [
    "unknown-variable",
    steps(
      "  - id: plan\n    agent: coder\n    prompt: |\n      Look at\n      {{tsk}} please\n  - id: x\n    agent: reviewer\n",
    ),
  ],
  [
    "not-upstream",
    steps(
      '  - id: plan\n    agent: coder\n  - id: code\n    agent: reviewer\n    prompt: "{{steps.plan.output}}"\n',
    ),
  ],
  [
    "condition",
    steps("  - id: plan\n    agent: coder\n    when: task = 1\n  - id: x\n    agent: reviewer\n"),
  ],
  [
    "duration",
    steps(
      "  - id: plan\n    agent: coder\n    timeout: 30\n  - id: x\n    agent: reviewer\n    timeout: 30 s\n",
    ),
  ],
  ["missing-keys", "pattern: dag\nagents:\n  - role: worker\n"],
  ["duplicate-id", steps("  - id: plan\n    agent: coder\n  - id: plan\n    agent: reviewer\n")],
  ["wrong-choice", "name: review\npattern: fanout\nagents: [{ id: a, role: boss }]\n"],
  ["not-supported", `${head}reflection: { enabled: true }\nbudget: { handoffs: 5 }\n`],
  ["shape", "name: review\nworkflow: dag\nagents: []\n"],
  ["tab", "name: review\npattern: dag\nagents:\n\t- id: a\n"],
  ["duplicate-key", `${head}name: again\n`],
  ["unclosed", 'name: review\npattern: "dag\nagents: []\n'],
  ["path-outside", "name: review\npattern: dag\nagents: [{ id: a, cwd: ../../etc }]\n"],
  ["unused-agent", steps("  - id: plan\n    agent: coder\n")],
];

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
